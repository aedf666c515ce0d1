public import Health
public import Storage
public import Telemetry

/// What is known of an app's last days.
public struct SummaryFacts: Sendable {
  /// The bundle identifier.
  public var app: String
  public var period: SummaryPeriod
  /// The days that are summed up.
  public var page: AppStatus
  /// As many days before them.
  public var before: HealthReport
  /// Every incident of the app that is open or ended since the days began.
  public var incidents: [Incident]
  /// The address of the app's page on these days; nil without a public URL.
  public var link: String?
  public var now: Timestamp

  public init(
    app: String, period: SummaryPeriod, page: AppStatus, before: HealthReport, incidents: [Incident], link: String?,
    now: Timestamp
  ) {
    self.app = app
    self.period = period
    self.page = page
    self.before = before
    self.incidents = incidents
    self.link = link
    self.now = now
  }
}

public import Core

/// The sessions of a build on one day in one device class whose installations have run it for equally long.
public struct SessionsByAge: Sendable, Equatable {
  public var release: Release
  public var deviceClass: String
  public var source: Source
  public var day: CalendarDay
  public var age: UpdateAge
  public var sessions: Int64
  public var crashed: Int64
  /// The sessions with a hang that users felt; nil if it is not known. Only Sentry's clients report them.
  public var hung: Int64?

  public init(
    release: Release, deviceClass: String, source: Source, day: CalendarDay, age: UpdateAge, sessions: Int64,
    crashed: Int64, hung: Int64? = nil
  ) {
    self.release = release
    self.deviceClass = deviceClass
    self.source = source
    self.day = day
    self.age = age
    self.sessions = sessions
    self.crashed = crashed
    self.hung = hung
  }
}

/// The values of a metric of a build on one day in one device class whose installations have run it for equally long.
public struct MeasurementsByAge: Sendable, Equatable {
  public var metric: String
  public var release: Release
  public var deviceClass: String
  public var source: Source
  public var day: CalendarDay
  public var age: UpdateAge
  /// A distribution or the sums of a rate.
  public var aggregate: Aggregate

  public init(
    metric: String, release: Release, deviceClass: String, source: Source, day: CalendarDay, age: UpdateAge,
    aggregate: Aggregate
  ) {
    self.metric = metric
    self.release = release
    self.deviceClass = deviceClass
    self.source = source
    self.day = day
    self.age = age
    self.aggregate = aggregate
  }
}

/// The diagnostics of a group in one build, device class and source whose sessions started on one day at one age of the
/// installation's update.
public struct ReportsByAge: Sendable, Equatable {
  public var release: Release
  public var deviceClass: String
  public var source: Source
  public var day: CalendarDay
  /// Nil if the diagnostic names no session, or one that is not stored or has no age.
  public var age: UpdateAge?
  public var reports: Int

  public init(
    release: Release, deviceClass: String, source: Source, day: CalendarDay, age: UpdateAge?, reports: Int
  ) {
    self.release = release
    self.deviceClass = deviceClass
    self.source = source
    self.day = day
    self.age = age
    self.reports = reports
  }
}

/// Sessions and measurements by the age of the installation's update. Those of an unknown age are not included.
public protocol UpdateAgeCounts: Sendable {
  /// The counts of builds in an environment, kept for `Retention.ages` days. `releases`: the builds; nil for all.
  func sessionsByAge(
    of app: AppID, environment: String, releases: Set<Release>?, in window: Window
  ) throws -> [SessionsByAge]

  /// The distributions and rates of builds in an environment whose clients state the first run of their release, kept
  /// for `Retention.ages` days. `metrics`: the names of the metrics to read.
  func measurementsByAge(
    of app: AppID, environment: String, releases: Set<Release>, metrics: [String], in window: Window
  ) throws -> [MeasurementsByAge]
}

import Storage
public import Telemetry

/// An app's report with the verdicts on its newest releases and what is broken.
public struct AppStatus: Sendable {
  public var report: HealthReport
  /// One per budget that has data, worst first within the catalogue's order.
  public var vitals: [Vital]
  /// Verdicts on the two newest adopted releases, each over its own life.
  public var releaseResults: [BudgetResult]
  /// Whether the newest releases may go on, the newest first.
  public var decisions: [ReleaseDecision]
  /// What is broken or warns, the worst first.
  public var breakages: [Breakage]
  /// All environments that have data.
  public var environments: [String]
  public var asOf: Timestamp

  public init(
    report: HealthReport, vitals: [Vital], releaseResults: [BudgetResult], decisions: [ReleaseDecision] = [],
    breakages: [Breakage] = [], environments: [String], asOf: Timestamp
  ) {
    self.report = report
    self.vitals = vitals
    self.releaseResults = releaseResults
    self.decisions = decisions
    self.breakages = breakages
    self.environments = environments
    self.asOf = asOf
  }
}

/// A budget with the metric's trend over the window.
public struct Vital: Sendable {
  public var title: String
  public var result: BudgetResult
  public var trend: [TrendPoint]
  /// What to open first when it breaks.
  public var advice: String?
  /// The family of guides.
  public var guide: String?

  public init(
    title: String, result: BudgetResult, trend: [TrendPoint], advice: String?, guide: String? = nil
  ) {
    self.title = title
    self.result = result
    self.trend = trend
    self.advice = advice
    self.guide = guide
  }
}

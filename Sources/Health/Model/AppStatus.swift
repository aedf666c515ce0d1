import Storage
public import Telemetry

/// An app's report, with the verdicts on its newest releases and a list of what is broken.
public struct AppStatus: Sendable {
  public var report: HealthReport
  /// The result of each budget, in the order of the budgets: the team's, then the defaults whose metric has data.
  public var vitals: [Vital]
  /// Verdicts on the two newest adopted releases, each over its own lifetime.
  public var releaseResults: [BudgetResult]
  /// The decisions on the newest releases, the newest first.
  public var decisions: [ReleaseDecision]
  /// Budgets that are broken or warn, the worst first.
  public var breakages: [Breakage]
  /// All environments with data.
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

/// The result of a budget, with the metric's trend over the window.
public struct Vital: Sendable {
  public var title: String
  public var result: BudgetResult
  public var trend: [TrendPoint]
  /// What to check first if the budget is broken.
  public var advice: String?
  /// The name of the metric's guide, such as `launch`.
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

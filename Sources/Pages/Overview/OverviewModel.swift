public import Health
import JSON
public import Storage
public import Telemetry

/// The model of the first page: every app with its verdict.
public struct OverviewModel: Sendable {
  public var apps: [AppSummary]
  /// When the numbers were read.
  public var asOf: Timestamp

  public init(apps: [AppSummary], asOf: Timestamp) {
    self.apps = apps
    self.asOf = asOf
  }
}

/// The summary of one app on the first page.
public struct AppSummary: Sendable {
  /// The bundle identifier.
  public var id: String
  /// The worst verdict on its budgets; nil if nothing was received yet.
  public var verdict: Verdict?
  /// The number of budgets with each verdict.
  public var verdictCounts: [Verdict: Int]
  public var crashFree: RatioEstimate
  public var crashFreeTrend: [TrendPoint]
  public var sessions: Int
  /// The release with the highest adoption.
  public var mainRelease: ReleaseReport?
  public var window: Window?
  /// A note about the environment of the numbers; nil for production.
  public var environmentNote: String?
  public var staleDays: Int?
  /// The worst result of a budget on anything but crash-free sessions; nil without any.
  public var worst: BudgetResult?
  /// The error in the app's budget file, because of which there are no verdicts; nil without an error.
  public var budgetError: String?

  public init(
    id: String, verdict: Verdict?, verdictCounts: [Verdict: Int] = [:], crashFree: RatioEstimate = .init(),
    crashFreeTrend: [TrendPoint] = [], sessions: Int = 0, mainRelease: ReleaseReport? = nil, window: Window? = nil,
    environmentNote: String? = nil, staleDays: Int? = nil, budgetError: String? = nil
  ) {
    self.id = id
    self.verdict = verdict
    self.verdictCounts = verdictCounts
    self.crashFree = crashFree
    self.crashFreeTrend = crashFreeTrend
    self.sessions = sessions
    self.mainRelease = mainRelease
    self.window = window
    self.environmentNote = environmentNote
    self.staleDays = staleDays
    self.budgetError = budgetError
  }
}

extension OverviewModel {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([("schema", .count(HealthReport.schema)), ("apps", .array(apps.map(\.json)))])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}

extension AppSummary {
  var json: JSONOutput {
    let counts = Verdict.allCases.map { ($0.rawValue, JSONOutput.count(verdictCounts[$0] ?? 0)) }
    return .object([
      ("app", .string(id)), ("verdict", .optional(verdict?.rawValue)), ("verdict_counts", .object(counts)),
      ("sessions", .count(sessions)), ("crash_free", crashFree.json),
      ("crash_free_trend", .array(crashFreeTrend.map(\.json))), ("main_release", mainRelease?.json ?? .null),
      ("window", window?.json ?? .null), ("stale_days", .optional(staleDays)),
      ("budget_error", .optional(budgetError)),
    ])
  }
}

public import Health
import JSON
public import Storage
public import Telemetry

/// What the first page shows: every app with its verdict.
public struct OverviewModel: Sendable {
  public var apps: [AppSummary]
  /// When the numbers were read.
  public var asOf: Timestamp

  public init(apps: [AppSummary], asOf: Timestamp) {
    self.apps = apps
    self.asOf = asOf
  }
}

/// One app on the first page.
public struct AppSummary: Sendable {
  /// The bundle identifier.
  public var id: String
  /// The worst verdict of its budgets; nil when nothing was received yet.
  public var verdict: Verdict?
  /// How many budgets have each verdict.
  public var verdictCounts: [Verdict: Int]
  public var crashFree: RatioEstimate
  public var crashFreeTrend: [TrendPoint]
  public var sessions: Int
  /// Release with the highest adoption, and that adoption.
  public var mainRelease: ReleaseReport?
  public var window: Window?
  /// Which environment the numbers are of, where it is not production.
  public var environmentNote: String?
  public var staleDays: Int?
  /// Why nothing is judged: the app's budget file has an error.
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
  /// The JSON of the API: every app as the first page has it. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([("schema", .count(HealthReport.schema)), ("apps", .array(apps.map(\.json)))])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}

extension AppSummary {
  var json: JSONNode {
    let counts = Verdict.allCases.map { ($0.rawValue, JSONNode.count(verdictCounts[$0] ?? 0)) }
    return .object([
      ("app", .string(id)), ("verdict", .optional(verdict?.rawValue)), ("verdict_counts", .object(counts)),
      ("sessions", .count(sessions)), ("crash_free", crashFree.json),
      ("crash_free_trend", .array(crashFreeTrend.map(\.json))), ("main_release", mainRelease?.json ?? .null),
      ("window", window?.json ?? .null), ("stale_days", .optional(staleDays)),
      ("budget_error", .optional(budgetError)),
    ])
  }
}

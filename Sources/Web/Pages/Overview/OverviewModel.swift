import Analysis
import Core
import Storage

/// The model of the first page: every app with its judgement.
public struct OverviewModel: Sendable {
  var apps: [AppSummary]
  /// When the numbers were read.
  var asOf: Timestamp
}

/// The summary of one app on the first page.
public struct AppSummary: Sendable {
  /// The bundle identifier.
  var id: String
  /// The judgement that the app's page shows; nil if nothing was received yet.
  var status: AppStatus?
  /// The error in the app's budget file, because of which there are no verdicts; nil without an error.
  var budgetError: String?

  /// The verdict on all budgets together; nil if nothing was received yet.
  var verdict: Verdict? { status?.judgement.verdict }
}

extension OverviewModel {
  /// The JSON of the API. Unknown values are null.
  func json() -> [UInt8] {
    let text = JSONOutput.object([("schema", .count(HealthReport.schema)), ("apps", .array(apps.map(\.json)))])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}

extension AppSummary {
  var json: JSONOutput {
    let judgement = status?.judgement
    let counts = Verdict.allCases.map { ($0.rawValue, JSONOutput.count(judgement?.counts[$0] ?? 0)) }
    let crashFree = judgement?.crashFree
    let mainRelease = status?.releases.max { ($0.adoption ?? 0) < ($1.adoption ?? 0) }
    return .object([
      ("app", .string(id)), ("verdict", .optional(verdict?.rawValue)), ("verdict_counts", .object(counts)),
      ("advice", .optional(judgement?.advice.rawValue)), ("release", judgement?.release?.json ?? .null),
      ("previous", .optional(judgement?.previous?.release.title)),
      ("sessions", .count(status?.sessions ?? 0)), ("crash_free", crashFreeShare.json),
      ("crash_free_trend", .array(crashFree?.trend.map(\.json) ?? [])),
      ("main_release", mainRelease?.json ?? .null),
      ("window", judgement?.window.json ?? .null), ("stale_days", .optional(status?.staleDays)),
      ("budget_error", .optional(budgetError)),
    ])
  }
}

extension AppSummary {
  /// The share of crash-free sessions of what is judged.
  private var crashFreeShare: RatioEstimate {
    guard let result = status?.judgement.crashFree?.result else { return RatioEstimate() }
    return RatioEstimate(estimate: result.estimate, n: result.n, nEffective: nil, basis: result.basis)
  }
}

extension Judgement {
  /// The budget on crash-free sessions; nil without sessions.
  var crashFree: JudgedBudget? { budget(on: "sessions.crash_free") }
}

extension AppStatus {
  /// The number of sessions of all releases on the days of the page.
  var sessions: Int { releases.reduce(0) { $0.addingSaturated($1.sessions) } }
}

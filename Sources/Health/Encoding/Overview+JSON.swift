import JSON
import Storage
import Telemetry

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

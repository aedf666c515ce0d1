public import Analysis
import Core
import Storage

/// The judgement on an app as data: its advice, and each budget beside the release before.
struct JudgementList: TableConvertible {
  private let status: AppStatus

  init(_ status: AppStatus) { self.status = status }

  /// The JSON of the API. Unknown values are null.
  func json() -> [UInt8] {
    let judgement = status.judgement
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(status.app)), ("window", judgement.window.json),
      ("slice", judgement.slice.json), ("digested_through", .integer(status.digestedThrough)),
      ("stale_days", .optional(status.staleDays)), ("judgement", judgement.json),
      ("breakages", .array(judgement.broken.map(\.json))), ("releases", .array(status.releases.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// One row for each budget.
  var table: CSVTable {
    let result = ["budget", "metric", "unit", "verdict", "value", "low", "high", "n", "target"].map { "result.\($0)" }
    let before = ["value", "low", "high", "n"].map { "before.\($0)" }
    return CSVTable(
      columns: ["title", "since"] + result + ["result.slice.release"] + before + ["guide"],
      rows: status.judgement.budgets.map(\.json))
  }
}

/// What is broken as data, in the form that the API had before it had judgements: the advice on the judged release, and
/// the budgets that are broken or warn.
public struct BreakageList: TableConvertible {
  private let status: AppStatus

  init(_ status: AppStatus) { self.status = status }

  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let judgement = status.judgement
    let decision = judgement.release.map { release in
      JSONOutput.object([
        ("advice", .string(judgement.advice.rawValue)), ("previous", .optional(judgement.previous?.release.title)),
        ("release", release.json), ("budgets", .array(judgement.results.map(\.json))),
      ])
    }
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(status.app)), ("window", judgement.window.json),
      ("slice", judgement.slice.json), ("digested_through", .integer(status.digestedThrough)),
      ("stale_days", .optional(status.staleDays)), ("decisions", .array(decision.map { [$0] } ?? [])),
      ("breakages", .array(judgement.broken.map(Self.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  private static func json(_ budget: JudgedBudget) -> JSONOutput {
    .object([
      ("title", .string(budget.title)), ("since", .optional(budget.since?.iso)), ("result", budget.result.json),
      ("releases", .array([budget.result.slice.release].compactMap { $0 }.map(JSONOutput.string))),
      ("device_classes", .array(budget.classes.map(\.json))), ("guide", .optional(budget.guide)),
    ])
  }

  /// One row for each breakage.
  public var table: CSVTable {
    let result = ["budget", "metric", "unit", "verdict", "value", "low", "high", "n", "target"].map { "result.\($0)" }
    return CSVTable(
      columns: ["title", "since"] + result + ["result.slice.release", "guide"],
      rows: status.judgement.broken.map(Self.json))
  }
}

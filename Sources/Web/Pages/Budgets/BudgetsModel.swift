public import Analysis
import Core
import Storage

/// The model of the budgets page: the verdict on each budget for the app and its parts, and what is left of its error
/// budget.
public struct BudgetsModel: Sendable {
  public var app: String
  var window: Window
  var slice: Slice
  var environmentNote: String?
  /// The judgement that the app's page shows; its budgets are the first of `rows`.
  var judgement: Judgement
  /// The budgets: the team's in the order of its file, then defaults in the catalogue's order.
  public var rows: [BudgetRow]
  /// The burn rates of the error budget of crash-free sessions.
  var burn: BurnReport = .init()
  var digestedThrough: Int64 = 0
  var asOf: Timestamp
}

/// One budget with its verdicts.
public struct BudgetRow: Sendable, Equatable {
  /// The metric's title: `Launch to first draw`.
  var title: String
  var result: BudgetResult
  /// The result on the release before; nil if there is none.
  var before: BudgetResult?
  /// The share left of the bad events that the budget allows: 1 is all, 0 none, below 0 overspent. Nil if nothing was
  /// measured, and for budgets on means, sums and rates, which do not limit a number of bad events.
  var errorBudgetLeft: Double?
  /// The verdicts on the same budget for each release, device class and system, the worst first within each dimension.
  var slices: [SliceVerdict] = []
}

extension BudgetsModel: TableConvertible {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("burn", burn.json),
      ("budgets", .array(rows.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// One row for each budget on each part of the data; the row for the whole comes first.
  public var table: CSVTable {
    let rows = rows.flatMap { row in
      [JSONOutput.object([("dimension", .string("")), ("key", .string("")), ("result", row.result.json)])]
        + row.slices.map(\.json)
    }
    let columns = [
      "budget", "metric", "unit", "verdict", "reason", "needed", "value", "low", "high", "n", "target", "warn_target",
      "basis", "confidence",
    ]
    return CSVTable(columns: ["dimension", "key"] + columns.map { "result.\($0)" }, rows: rows)
  }
}

extension BudgetRow {
  var json: JSONOutput {
    .object([
      ("title", .string(title)), ("error_budget_left", .optional(errorBudgetLeft)), ("result", result.json),
      ("before", before?.json ?? .null), ("slices", .array(slices.map(\.json))),
    ])
  }
}

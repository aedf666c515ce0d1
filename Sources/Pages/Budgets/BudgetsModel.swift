public import Health
import JSON
public import Storage
public import Telemetry

/// What the page of budgets shows: each budget on the app and on its parts, and what is left of its error budget.
public struct BudgetsModel: Sendable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  /// In the order of the team's file, defaults in the catalogue's.
  public var rows: [BudgetRow]
  /// How fast crashes use up the error budget of crash-free sessions.
  public var burn: BurnReport
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, rows: [BudgetRow],
    burn: BurnReport = .init(), digestedThrough: Int64 = 0, asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.rows = rows
    self.burn = burn
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }
}

/// One budget with its verdicts.
public struct BudgetRow: Sendable, Equatable {
  /// What people read: `Launch to first draw`.
  public var title: String
  public var result: BudgetResult
  /// What is left of the bad events that the budget allows: 1 is all, 0 none, less than 0 overspent. Nil for budgets on
  /// means, sums and rates, which allow no number of bad events, and where nothing was measured.
  public var errorBudgetLeft: Double?
  /// The same budget on each release, class of devices and system, the worst first within each.
  public var slices: [SliceVerdict]

  public init(title: String, result: BudgetResult, errorBudgetLeft: Double? = nil, slices: [SliceVerdict] = []) {
    self.title = title
    self.result = result
    self.errorBudgetLeft = errorBudgetLeft
    self.slices = slices
  }
}

extension BudgetsModel: TableConvertible {
  /// The JSON of the API: what the page of budgets shows. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("burn", burn.json),
      ("budgets", .array(rows.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// A row for each budget on each part, the whole first.
  public var table: CSVTable {
    let rows = rows.flatMap { row in
      [JSONNode.object([("dimension", .string("")), ("key", .string("")), ("result", row.result.json)])]
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
  var json: JSONNode {
    .object([
      ("title", .string(title)), ("error_budget_left", .optional(errorBudgetLeft)), ("result", result.json),
      ("slices", .array(slices.map(\.json))),
    ])
  }
}

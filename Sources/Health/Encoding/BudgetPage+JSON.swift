import JSON
import Storage

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

extension SliceVerdict {
  var json: JSONNode {
    .object([("dimension", .string(dimension)), ("key", .string(key)), ("result", result.json)])
  }
}

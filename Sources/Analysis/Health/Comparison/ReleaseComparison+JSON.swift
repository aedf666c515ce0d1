package import Core
import Storage

extension ReleaseComparison: TableConvertible {
  /// The JSON of `plumb compare` and of the API, the same bytes for both. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("base", .string(base)),
      ("head", .string(head)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("outcome", .string(outcome.rawValue)),
      ("metrics", .array(metrics.map(\.json))), ("labels", .array(labels.map(\.json))),
      ("labels_window", labelWindow?.json ?? .null), ("labels_left_out", .count(leftOutLabels)),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}

extension ReleaseComparison {
  /// The comparison as a table with one row per metric.
  public var table: CSVTable { CSVTable(columns: Self.columns, rows: metrics.map(\.json)) }

  /// `parts`: one row per label of a metric.
  public func table(_ name: DataTable) -> CSVTable? {
    name == .parts ? CSVTable(columns: ["label"] + Self.columns, rows: labels.map(\.json)) : nil
  }

  private static var columns: [String] {
    let sides = ["base", "head"].flatMap { side in ["value", "low", "high", "n", "n_eff"].map { "\(side).\($0)" } }
    let difference = ["value", "low", "high", "p_value", "strata"].map { "difference.\($0)" }
    return ["name", "unit", "kind", "statistic", "budget", "direction", "source", "days"] + sides + ["relative"]
      + difference
      + ["raw_difference", "margin", "verdict", "within_margin", "reason", "needed", "severity"]
      + ["class", "base_share", "head_share"].map { "mix_shift.\($0)" }
  }
}

extension MetricComparison {
  package var json: JSONOutput {
    .object([
      ("name", .string(name)), ("label", .optional(label)), ("unit", .string(unit.symbol)),
      ("kind", .string(kind.rawValue)),
      ("statistic", .optional(statistic)), ("budget", .optional(budget)),
      ("direction", .string(direction.rawValue)), ("source", .optional(source?.title)), ("days", .count(days)),
      ("base", base.json), ("head", head.json), ("relative", .bool(isRelative)),
      ("difference", difference?.json ?? .null), ("raw_difference", .optional(rawDifference)),
      ("margin", .number(margin)), ("verdict", .string(verdict.rawValue)),
      ("within_margin", difference == nil ? .null : .bool(isSmall)), ("reason", .optional(reason?.rawValue)),
      ("needed", .optional(needed)), ("tendency", .optional(tendency?.rawValue)),
      ("heterogeneous", .bool(isHeterogeneous)), ("worse_class", .optional(worseClass?.name)),
      ("classes", .array(classes.map(\.json))), ("severity", .string(severity.rawValue)),
      ("mix_shift", mixShift?.json ?? .null),
    ])
  }
}

extension ComparedValue {
  var json: JSONOutput {
    .object([
      ("value", .optional(estimate.value)), ("low", .optional(estimate.low)), ("high", .optional(estimate.high)),
      ("n", .count(n)), ("n_eff", .optional(nEffective)),
    ])
  }
}

extension ClassComparison {
  var json: JSONOutput {
    .object([
      ("class", .string(name)), ("value", .number(value)), ("low", .optional(low.isFinite ? low : nil)),
      ("high", .optional(high.isFinite ? high : nil)), ("p_value", .number(pValue)),
    ])
  }
}

extension MixShift {
  var json: JSONOutput {
    .object([("class", .string(name)), ("base_share", .number(base)), ("head_share", .number(head))])
  }
}

extension ComparedDifference {
  var json: JSONOutput {
    .object([
      ("value", .number(value)), ("low", .optional(low.isFinite ? low : nil)),
      ("high", .optional(high.isFinite ? high : nil)), ("p_value", .number(pValue)),
      ("strata", .count(strata)),
    ])
  }
}

public import Health
import Storage
import Telemetry
import Wording

/// A comparison of two releases as text for a terminal, markdown for a pull request, JSON, or CSV.
public enum ComparisonFormatter {
  public static func text(_ comparison: ReleaseComparison, _ format: ComparisonFormat) -> [UInt8] {
    switch format {
    case .json: comparison.json()
    case .csv: comparison.table.csv()
    case .text: Array(lines(comparison).joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
    case .markdown: Array(markdown(comparison).utf8)
    }
  }

  /// Which part of the data it is about.
  static func scope(_ comparison: ReleaseComparison) -> String {
    "\(comparison.app), \(comparison.environment), \(comparison.window.from.iso) to \(comparison.window.to.iso)"
  }

  /// What stands in the table for one metric.
  static func cells(_ metric: MetricComparison) -> [String] {
    [
      metric.plainTitle, value(metric.base, metric.unit), value(metric.head, metric.unit),
      metric.change(metric.difference?.value), metric.changeInterval, metric.change(metric.rawDifference),
    ]
  }

  static func verdict(_ metric: MetricComparison, _ comparison: ReleaseComparison) -> String {
    [metric.verdict.word, metric.explanation(base: comparison.base, head: comparison.head)].compactMap { $0 }
      .joined(separator: ", ")
  }

  private static func value(_ value: ComparedValue, _ unit: MetricUnit) -> String {
    guard value.estimate.value != nil else { return Quantity.unknown }
    let bounds = value.estimate.low == nil && value.estimate.high == nil
    let interval = bounds ? "" : " (\(Quantity.interval(value.estimate, unit)))"
    return "\(Quantity.text(value.estimate, unit))\(interval), n \(Decimal.grouped(value.n))"
  }
}

/// How a comparison is printed.
public enum ComparisonFormat: String, Sendable, CaseIterable {
  case text
  case markdown
  case json
  case csv
}

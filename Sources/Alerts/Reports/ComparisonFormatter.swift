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

  /// The environment and the days of the compared data: the subject of the table.
  static func scope(_ comparison: ReleaseComparison) -> String {
    "\(comparison.app), \(comparison.environment), \(comparison.window.from.iso) to \(comparison.window.to.iso)"
  }

  /// The table's cells for one metric.
  static func cells(_ metric: MetricComparison) -> [String] {
    [
      metric.plainTitle, value(metric.base, metric.unit), value(metric.head, metric.unit),
      metric.change(metric.difference?.value), metric.changeInterval, metric.change(metric.rawDifference),
    ]
  }

  static func verdict(_ metric: MetricComparison, _ comparison: ReleaseComparison) -> String {
    [
      metric.verdict.word, metric.explanation(base: comparison.base, head: comparison.head),
      metric.mixExplanation(base: comparison.base, head: comparison.head),
    ].compactMap { $0 }
      .joined(separator: ", ")
  }

  private static func value(_ value: ComparedValue, _ unit: MetricUnit) -> String {
    guard value.estimate.value != nil else { return Quantity.unknown }
    let bounds = value.estimate.low == nil && value.estimate.high == nil
    let interval = bounds ? "" : " (\(Quantity.interval(value.estimate, unit)))"
    return "\(Quantity.text(value.estimate, unit))\(interval), n \(Decimal.grouped(value.n))"
  }
}

/// The output formats of a comparison.
public enum ComparisonFormat: String, Sendable, CaseIterable {
  case text
  case markdown
  case json
  case csv
}

extension ComparisonFormatter {
  /// The verdict, the compared data, and a table with aligned columns.
  static func lines(_ comparison: ReleaseComparison) -> [String] {
    let head = ["metric", comparison.base, comparison.head, "difference", "95 %", "all devices", "verdict"]
    let rows = comparison.metrics.map { metric in cells(metric) + [verdict(metric, comparison)] }
    let table = aligned(rows.isEmpty ? [] : [head] + rows)
    return [comparison.sentence, scope(comparison)] + [comparison.environmentNote].compactMap { $0 }
      + (table.isEmpty ? [] : [""] + table)
  }

  /// Pads the cells of each column to the widest one. The last column is not padded.
  private static func aligned(_ rows: [[String]]) -> [String] {
    guard let columns = rows.first?.count else { return [] }
    let widths = (0..<columns).map { column in rows.map { $0[column].unicodeScalars.count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).dropLast().map { text, width in
        text + String(repeating: " ", count: max(0, width - text.unicodeScalars.count))
      }
      return (cells + [row.last ?? ""]).joined(separator: "  ")
    }
  }
}

extension ComparisonFormatter {
  /// A comment for a pull request: the verdict, then a table in which regressions are bold.
  static func markdown(_ comparison: ReleaseComparison) -> String {
    var text = "\(marked(comparison.sentence))\n\n"
    if let note = comparison.environmentNote { text += marked(note) + "\n\n" }
    if !comparison.metrics.isEmpty {
      let head = ["Metric", comparison.base, comparison.head, "Difference", "95 %", "All devices", "Verdict"]
      text += row(head.map(marked)) + "|---|---:|---:|---:|---:|---:|---|\n"
      for metric in comparison.metrics { text += row(line(metric, comparison)) }
      text += "\n"
    }
    return text + "<sub>\(marked(scope(comparison))). Differences are taken within classes of devices.</sub>\n"
  }

  private static func line(_ metric: MetricComparison, _ comparison: ReleaseComparison) -> [String] {
    let cells = (cells(metric) + [verdict(metric, comparison)]).map(marked)
    return metric.verdict == .worse ? cells.map { "**\($0)**" } : cells
  }

  private static func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }

  /// Escapes text that comes from devices, so that no markup, mention, link or end of a cell is in it.
  private static func marked(_ text: String) -> String {
    var marked = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "~", "#", "!": marked.append(contentsOf: ["\\", scalar])
      case "<": marked.append(contentsOf: "&lt;".unicodeScalars)
      case ">": marked.append(contentsOf: "&gt;".unicodeScalars)
      case "&": marked.append(contentsOf: "&amp;".unicodeScalars)
      case "@": marked.append(contentsOf: "&#64;".unicodeScalars)
      case "\u{A0}": marked.append(" ")
      default: if scalar.value >= 0x20, !(0x2028...0x202E).contains(scalar.value) { marked.append(scalar) }
      }
    }
    return String(marked)
  }
}

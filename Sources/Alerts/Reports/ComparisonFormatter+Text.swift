import Health
import Wording

extension ComparisonFormatter {
  /// The answer, what it is about, and a table whose columns are aligned.
  static func lines(_ comparison: ReleaseComparison) -> [String] {
    let head = ["metric", comparison.base, comparison.head, "difference", "95 %", "all devices", "verdict"]
    let rows = comparison.metrics.map { metric in cells(metric) + [verdict(metric, comparison)] }
    let table = aligned(rows.isEmpty ? [] : [head] + rows)
    return [comparison.sentence, scope(comparison)] + [comparison.environmentNote].compactMap { $0 }
      + (table.isEmpty ? [] : [""] + table)
  }

  /// As wide as the widest cell of each column; the last column ends where it ends.
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

import Health
import Wording

extension ComparisonFormatter {
  /// A comment for a pull request: the answer first, then a table with what is worse in bold.
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

  /// Names come from devices: nothing in them is markup, a mention, a link or the end of a cell.
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

import HTML
import Health
import Telemetry

/// A metric by release, device or label: where it is better or worse.
struct BreakdownTable: Markup {
  var heading: String
  var dimension: String
  var rows: [Breakdown]
  var direction: Metric.Direction
  /// What stands over the numbers of a metric that has one only.
  var noun = "Value"

  func write(to html: inout HTMLWriter) {
    guard !rows.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: heading)
      html.write(
        Table("\(heading), with 95 % intervals", columns) { html in
          for row in rows { html.row { self.row(row, &$0) } }
        })
    }
  }

  private var ranks: [Int] {
    rows.contains { $0.report.kind == .distribution } ? Ranks.shown(direction) : []
  }

  /// Without a budget there is nothing to say.
  private var isJudged: Bool { rows.contains { $0.verdict != nil } }

  private var columns: [Table.Column] {
    let values = ranks.isEmpty ? [Table.Column.number(noun)] : ranks.map { .number("p\($0)") }
    return [Table.Column(title: dimension)] + values + [.number("n")] + (isJudged ? ["Verdict"] : [])
  }

  private func row(_ row: Breakdown, _ html: inout HTMLWriter) {
    let report = row.report
    html.rowHead { html in
      html.write(Name(row.title))
      if row.title != row.key {
        html.literal(" ")
        html.element("small") { $0.write(Name(row.key)) }
      }
    }
    for estimate in ranks.isEmpty ? [report.value] : ranks.map({ report.percentiles[$0] ?? .unknown }) {
      html.estimateCell(estimate, report.unit, isAtLeast: estimate.isAtLeast)
    }
    html.countCell(report.n)
    if isJudged { html.verdictCell(row.verdict) }
  }
}

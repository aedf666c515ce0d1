import Analysis
import Core

/// The numbers of several small charts as a table: one row per point, the newest first, and one column per part.
struct TrendDataTable: Markup {
  var heading: String
  var statistic: String?
  var rows: [Breakdown]
  /// The page whose data contains these numbers.
  var source: Page
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard let points = rows.first?.trend else { return }
    let words = StepWords(points)
    let what = statistic.map { ", \(PlainName.text($0))" } ?? ""
    html.element("details") { html in
      html.element("summary", text: "Numbers of these charts")
      html.write(
        Table(
          "\(heading), \(words.by)\(what)",
          [Table.Column(title: words.column)] + rows.map { .number(PlainName.text($0.title, limit: 24)) },
          style: "numbers"
        ) { html in
          for index in points.indices.reversed() {
            html.row { html in
              html.rowHead(text: words.head(points[index]))
              for row in rows { cell(row, index, &html) }
            }
          }
        })
      html.write(ChartData(page: source, table: .courses, links: links))
    }
  }

  private func cell(_ row: Breakdown, _ index: Int, _ html: inout HTMLWriter) {
    let estimate = row.trend.indices.contains(index) ? row.trend[index].estimate : .unknown
    html.element("td", text: Quantity.text(estimate, row.report.unit))
  }
}

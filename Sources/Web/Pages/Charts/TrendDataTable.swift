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
        Table("\(heading), \(words.by)\(what)", of: points.indices.reversed(), style: "numbers") {
          Column.head(words.column) { words.head(points[$0]) }
          for row in rows {
            Column.number(PlainName.text(row.title, limit: 24)) { index in
              let estimate = row.trend.indices.contains(index) ? row.trend[index].estimate : .unknown
              return Quantity.text(estimate, row.report.unit)
            }.unstyled.named(nil)
          }
        })
      html.write(ChartData(page: source, table: .courses, links: links))
    }
  }
}

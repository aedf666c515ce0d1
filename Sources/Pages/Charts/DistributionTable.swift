import HTML
import Health
import Telemetry
import Wording

/// The numbers behind a distribution.
struct DistributionTable: Markup {
  var caption: String
  var bars: [DistributionBar]
  var unit: MetricUnit
  /// The page whose data these numbers are.
  var source: Page
  var links: Links

  func write(to html: inout HTMLWriter) {
    let total = bars.reduce(0) { $0 + max(0, $1.count) }
    html.element("details") { html in
      html.element("summary", text: "Numbers of this chart")
      html.write(
        Table(caption, ["Values", .number("n"), .number("Share")], isWide: false) { html in
          for bar in bars {
            html.row { html in
              html.rowHead(text: Quantity.interval(bar.low, bar.high, unit))
              html.element("td", .class("n")) { $0.number(bar.count, .count) }
              html.element("td", .class("n")) { $0.number(total > 0 ? bar.count / total : nil, .ratio) }
            }
          }
        })
      html.write(ChartData(page: source, table: .distribution, links: links))
    }
  }
}

import HTML
import Health
import Telemetry
import Wording

/// How the values of the window are spread.
struct DistributionSection: Markup {
  var page: MetricModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !page.distribution.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Distribution")
      html.element("figure", .class("card")) { html in
        html.write(chart(.wide, "wide"))
        html.write(chart(.narrow, "narrow"))
        html.element(
          "figcaption",
          text: "Share of \(Noun.plural(of: page.report.name, weight: page.report.weight)) in each bucket."
            + (page.mainBudget == nil ? "" : " Outlined: beyond the budget."))
        html.write(
          DistributionTable(
            caption: title, bars: page.distribution, unit: page.report.unit, source: links.origin, links: links))
      }
    }
  }

  private var title: String { "Distribution of \(PlainName.text(page.report.title))" }

  private func chart(_ frame: ChartFrame, _ style: StaticString) -> DistributionChart {
    DistributionChart(
      title: title, bars: page.distribution, unit: page.report.unit, direction: page.direction,
      target: page.mainBudget?.target, frame: frame, style: style)
  }
}

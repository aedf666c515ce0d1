import HTML
import Health
import Telemetry

/// A metric's page: its numbers, its budgets, its course, its spread, and where it is better or worse.
public enum MetricView {
  /// The page as UTF-8. `unknownLabel`: one that was asked for and that this metric does not have.
  public static func render(_ page: MetricModel, unknownLabel: String? = nil, _ context: PageContext) -> [UInt8] {
    let report = page.report
    let layout = Layout(
      page: .metric(app: page.app, name: report.name),
      title: "\(PlainName.text(report.title)) · \(PlainName.text(page.app))", context: context,
      asOf: page.asOf)
    return layout.render { html in
      html.write(MetricHeading(page: page, unknownLabel: unknownLabel, context: context))
      html.write(MetricHeadline(report: report, direction: page.direction))
      html.write(MetricBudgets(page: page, links: layout.links))
      html.element("div", .class("charts")) { html in
        html.write(TrendSection(page: page, links: layout.links))
        html.write(DistributionSection(page: page, links: layout.links))
      }
      for part in MetricParts.all(page) {
        html.write(
          BreakdownTable(
            heading: part.heading, dimension: part.dimension, rows: part.rows, direction: page.direction,
            source: layout.links.origin, links: layout.links, part: part.part))
        html.write(
          SmallMultiples(
            heading: part.heading, rows: part.rows, direction: page.direction, budget: page.mainBudget,
            statistic: page.mainBudget?.statistic ?? (report.kind == .distribution ? "p50" : nil),
            source: layout.links.origin, links: layout.links))
      }
      html.write(MetricFacts(report: report))
    }
  }
}

extension MetricModel {
  /// Which way is good; smaller, for a metric the catalogue does not know.
  var direction: Metric.Direction { metric?.direction ?? budgets.first?.direction ?? .lower }

  /// The budget drawn into the charts: the first.
  var mainBudget: BudgetResult? { budgets.first }
}

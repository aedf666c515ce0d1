import HTML
public import Health
import Telemetry

/// A metric's page: its numbers, its budgets, its course, its spread, and where it is better or worse.
public enum MetricPageView {
  /// The page as UTF-8.
  public static func render(_ page: MetricPage, _ context: PageContext) -> [UInt8] {
    let report = page.report
    let layout = Layout(
      page: .metric(app: page.app, name: report.name),
      title: "\(PlainName.text(report.title)) · \(PlainName.text(page.app))", context: context,
      trail: [.overview, .app(page.app), .metric(app: page.app, name: report.name)],
      footer: "Read \(page.asOf.iso).")
    return layout.render { html in
      html.write(MetricHeading(page: page, links: layout.links))
      html.write(MetricHeadline(report: report, direction: page.direction))
      html.write(MetricBudgets(page: page))
      html.element("div", .class("charts")) { html in
        html.write(TrendSection(page: page))
        html.write(DistributionSection(page: page))
      }
      html.write(
        BreakdownTable(heading: "By release", dimension: "Release", rows: page.byRelease, direction: page.direction))
      html.write(
        BreakdownTable(heading: "By device", dimension: "Device", rows: page.byDevice, direction: page.direction))
      let label = page.metric?.labelledBy ?? "label"
      html.write(
        BreakdownTable(
          heading: "By \(label)", dimension: Summary.capitalized(label), rows: page.byLabel, direction: page.direction))
      html.write(MetricFacts(report: report))
    }
  }
}

extension MetricPage {
  /// Which way is good; smaller, for a metric the catalogue does not know.
  var direction: Metric.Direction { metric?.direction ?? budgets.first?.direction ?? .lower }

  /// The budget drawn into the charts: the first.
  var mainBudget: BudgetResult? { budgets.first }
}

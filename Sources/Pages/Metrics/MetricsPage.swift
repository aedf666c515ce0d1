import HTML
public import Health
import Storage
public import Telemetry

/// The page that lists every metric of an app with its numbers.
public enum MetricsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/metrics"
  public static let navigationTitle: String? = "Metrics"
  public static let filters = FilterPart.slice
  public static let endpoints = [endpoint { .table(MetricList(try report($0))) }]

  public static func load(_ question: AppQuestion) throws -> (report: HealthReport, asOf: Timestamp)? {
    (try report(question), question.now)
  }

  private static func report(_ question: AppQuestion) throws -> HealthReport {
    try question.health.report(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: (report: HealthReport, asOf: Timestamp), _ context: PageContext) -> [UInt8] {
    let report = model.report
    let page = Page.metrics(app: report.app)
    let layout = Layout(
      page: page, title: "Metrics of " + PlainName.text(report.app), context: context, asOf: model.asOf)
    return layout.render { html in
      html.element("h1", text: "Metrics")
      html.write(
        FilterBar(
          page: page, window: report.window, slice: report.slice, context: context,
          isWholeApp: report.slice.release == nil))
      if let note = report.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      guard !report.metrics.isEmpty else {
        return html.write(
          EmptyState(what: "No metric has data in these days.", app: report.app, links: layout.links))
      }
      html.write(MetricTables(report: report, links: layout.links))
    }
  }

  public static func data(_ model: (report: HealthReport, asOf: Timestamp)) -> PageData? {
    .table(MetricList(model.report))
  }

  public static func linkedPages(
    _ model: (report: HealthReport, asOf: Timestamp), _ request: PageRequest
  ) -> [Page] {
    model.report.metrics.map { .metric(app: model.report.app, name: $0.name) }
  }
}

extension Page {
  public static func metrics(app: String) -> Page { Page(MetricsPage.self, [app]) }
}

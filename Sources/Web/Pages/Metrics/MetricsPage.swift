import Analysis
public import Core
import Storage

/// The page that lists every metric of an app with its numbers.
public enum MetricsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/metrics"
  public static let navigationTitle: String? = "Metrics"
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint(
      .init(
        "listMetrics", "An app's metrics", "The `metrics` of the report. CSV has one row per metric.",
        links: [("getMetric", [("app", "$request.path.app"), ("metric", "$response.body#/metrics/0/name")])])
    ) { list(try model($0)) }
  ]

  public struct Model {
    var report: HealthReport
    /// App Store Connect's numbers of the app.
    var figures: [AppStoreFigure] = []
    /// App Store Connect's goals, insights and signatures of the app.
    var notes = AppStorePerformance()
    var asOf: Timestamp
  }

  public static func load(_ question: AppQuestion) throws -> Model? { try model(question) }

  private static func model(_ question: AppQuestion) throws -> Model {
    Model(
      report: try report(question), figures: try question.request.source.appStoreFigures(of: question.app),
      notes: try question.request.source.appStoreNotes(of: question.app), asOf: question.now)
  }

  private static func report(_ question: AppQuestion) throws -> HealthReport {
    try question.health.report(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    let report = model.report
    let page = Page.metrics(app: report.app)
    let layout = Layout(
      page: page, title: "Metrics of " + ShortenedName.text(report.app), context: context, asOf: model.asOf)
    return layout.render { html in
      html.element("h1", text: "Metrics")
      html.write(
        FilterBar(
          page: page, window: report.window, slice: report.slice, context: context,
          isWholeApp: report.slice.release == nil))
      if let note = report.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      if report.metrics.isEmpty {
        html.write(EmptyState(what: "No metric has data in this period.", app: report.app, links: layout.links))
      }
      html.write(MetricTables(report: report, links: layout.links))
      html.write(AppStoreOverview(app: report.app, figures: model.figures, notes: model.notes, links: layout.links))
    }
  }

  public static func data(_ model: Model) -> (any APIObject)? { list(model) }

  private static func list(_ model: Model) -> MetricList { MetricList(model.report, model.figures, model.notes) }

  public static func linkedPages(_ model: Model, _ request: PageRequest) -> [Page] {
    let names = model.report.metrics.map(\.name)
    let others = Set(model.figures.compactMap(\.key.counterpart)).subtracting(names).sorted()
    return (names + others).map { .metric(app: model.report.app, name: $0) }
  }
}

extension Page {
  static func metrics(app: String) -> Page { Page(MetricsPage.self, [app]) }
}

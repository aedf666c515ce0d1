public import Health
import Storage
public import Telemetry

/// One metric: its numbers, budgets, trend, spread, and where it is better or worse.
public enum MetricPage: AppPageDefinition {
  public enum Model {
    /// `unknownLabel`: one that was chosen on another metric's page and that this metric does not have.
    case found(MetricModel, unknownLabel: String?)
    case noData(app: String, metric: String, asOf: Timestamp)
  }

  public static let path: PathPattern = "apps/{app}/metrics/{metric}"
  public static let filters = FilterPart.slice + [.label]
  public static let endpoints = [
    endpoint(parameters: ["step", "table"]) { try metric($0, $0.query).map { .table($0) } }
  ]

  public static func breadcrumb(_ page: Page) -> String {
    let name = page.arguments.last ?? ""
    return Catalogue.metric(named: name)?.title ?? name
  }

  public static func load(_ question: AppQuestion) throws -> Model? {
    if let metric = try metric(question, question.query) { return .found(metric, unknownLabel: nil) }
    if let label = question.query.label, let metric = try metric(question, question.unlabelled) {
      return .found(metric, unknownLabel: label)
    }
    // A name of the catalogue, or one that has data without these filters. Any other was never received.
    let isKnown =
      try question.request.isExport || Catalogue.metric(named: question.name) != nil
      || question.query != ReportQuery() && metric(question, .init()) != nil
    return isKnown ? .noData(app: question.app.bundleID, metric: question.name, asOf: question.now) : nil
  }

  private static func metric(_ question: AppQuestion, _ query: ReportQuery) throws -> MetricModel? {
    try question.health.metricPage(question.app, metric: question.name, query, now: question.now)
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    switch model {
    case .found(let metric, nil): return MetricView.render(metric, context)
    case .found(let metric, let label):
      var context = context
      context.filter.label = nil
      return MetricView.render(metric, unknownLabel: label, context)
    case .noData(let app, let metric, let asOf):
      return NoMetricView.render(app: app, metric: metric, asOf: asOf, context)
    }
  }

  public static func data(_ model: Model) -> PageData? {
    if case .found(let metric, _) = model { .table(metric) } else { nil }
  }
}

extension Page {
  public static func metric(app: String, name: String) -> Page { Page(MetricPage.self, [app, name]) }
}

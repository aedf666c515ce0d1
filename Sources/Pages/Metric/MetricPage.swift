import Budgets
package import Health
package import Storage
public import Telemetry

/// The page of one metric: numbers, budgets, trend, distribution and breakdowns.
public enum MetricPage: AppPageDefinition {
  public enum Model {
    /// The metric's model. `unknownLabel`: a label chosen on another metric's page that this metric does not have.
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
    // A metric of the catalogue, or one that has data without these filters. Any other was never received.
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

extension HealthReader {
  /// Reads the model of a metric's page; nil if the window has no data of the metric.
  package func metricPage(
    _ app: App, metric name: String, _ query: ReportQuery = .init(), now: Timestamp
  ) throws -> MetricModel? {
    let scope = try scope(of: app, query, now: now)
    let stored = Self.storedNames(of: name)
    let series = try series(scope, metrics: stored)
    guard let report = Self.metric(name, series) else { return nil }
    let own = budgets.filter { $0.metric == name }
    return MetricModel(
      app: scope.bundleID, window: scope.window, slice: scope.slice, environmentNote: scope.environmentNote,
      report: report, metric: Catalogue.metric(named: name),
      budgets: try with(budgets: own).results(scope, series: series),
      trends: Self.trends(scope.steps, series, name, kind: report.kind),
      budgetTrends: Self.budgetTrends(scope.steps, series, own), releaseMarkers: markers(scope),
      distribution: Self.bars(series, name),
      byRelease: try breakdown(scope, name, .release, own.first),
      byDeviceClass: try breakdown(scope, name, .deviceClass, own.first),
      bySystem: try breakdown(scope, name, .os, own.first),
      byDevice: try breakdown(scope, name, .device, own.first, hasTrends: false)
        .sorted { ($1.report.n, $0.key) < ($0.report.n, $1.key) },
      byLabel: try breakdown(byLabel: scope, name, own.first), asOf: scope.now)
  }

  private static func budgetTrends(
    _ steps: [Window], _ series: [Series], _ budgets: [Budget]
  ) -> [String: [TrendPoint]] {
    var trends: [String: [TrendPoint]] = [:]
    for budget in budgets {
      guard let name = budget.statistic.name, !["p50", "p90", "p95"].contains(name) else { continue }
      trends[name] = Trend.points(steps, series, budget.metric, budget.statistic)
    }
    return trends
  }

  private static func trends(
    _ steps: [Window], _ series: [Series], _ name: String, kind: Metric.Kind
  ) -> [Int: [TrendPoint]] {
    guard kind == .distribution else { return [0: Trend.points(steps, series, name, .value)] }
    let ranks = [50, 90, 95]
    let trends = Trend.points(steps, series, name, ranks.map { .percentile($0) })
    return Dictionary(uniqueKeysWithValues: zip(ranks, trends))
  }
}

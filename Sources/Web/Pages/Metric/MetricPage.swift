import Analysis
public import Core
import Storage

/// The page of one metric: numbers, budgets, trend, distribution and breakdowns.
public enum MetricPage: AppPageDefinition {
  public enum Model {
    /// The metric's model. `unknownLabel`: a label chosen on another metric's page that this metric does not have.
    case found(MetricModel, unknownLabel: String?)
    case noData(app: String, metric: String, AppStoreModel, asOf: Timestamp)
  }

  public static let path: PathPattern = "apps/{app}/metrics/{metric}"
  public static let filters = FilterPart.slice + [.label]
  public static let judgesByDefault = true
  public static let endpoints = [
    endpoint(
      .init(
        "getMetric", "One metric",
        "The data shown on a metric's page: trends, distribution, and breakdowns by release, device and label. CSV has "
          + "one row per statistic and day."),
      parameters: [.step, .table]
    ) { try metric($0, $0.query) }
  ]

  public static func breadcrumb(_ page: Page) -> String {
    let name = page.arguments.last ?? ""
    return Catalogue.metric(named: name)?.title ?? name
  }

  public static func load(_ question: AppQuestion) throws -> Model? {
    if let metric = try metric(question, question.query, isJudged: true) { return .found(metric, unknownLabel: nil) }
    if let label = question.query.label, let metric = try metric(question, question.unlabelled, isJudged: true) {
      return .found(metric, unknownLabel: label)
    }
    // A metric of the catalogue, or one that has data without these filters. Any other metric was never received.
    let isKnown =
      try question.request.isExport || Catalogue.metric(named: question.name) != nil
      || question.query != ReportQuery() && metric(question, .init()) != nil
    guard isKnown else { return nil }
    return .noData(
      app: question.app.bundleID, metric: question.name, try question.appStore(of: question.name), asOf: question.now)
  }

  private static func metric(
    _ question: AppQuestion, _ query: ReportQuery, isJudged: Bool = false
  ) throws -> MetricModel? {
    guard
      var model = try question.health.metricPage(
        question.app, metric: question.name, query, isJudged: isJudged, question.appStore(of: question.name),
        now: question.now)
    else { return nil }
    let slice = model.slice
    model.appStore.gaps = try question.gaps(model)
    if let release = slice.release, slice == Slice(environment: slice.environment, release: release), query.from == nil,
      query.to == nil
    {
      model.causes = try question.causes(of: question.name, in: release, environment: slice.environment)
      if model.isBroken {
        model.causesOfLastWeek = try question.causesOfLastWeek(
          of: question.name, in: release, environment: slice.environment)
      }
    }
    if slice == Slice(environment: slice.environment, release: slice.release) {
      model.lab = try question.lab(of: question.name, environment: slice.environment)
    }
    return model
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    switch model {
    case .found(let metric, nil): return MetricView.render(metric, context)
    case .found(let metric, let label):
      var context = context
      context.filter.label = nil
      return MetricView.render(metric, unknownLabel: label, context)
    case .noData(let app, let metric, let appStore, let asOf):
      return NoMetricView.render(app: app, metric: metric, appStore, asOf: asOf, context)
    }
  }

  public static func data(_ model: Model) -> (any APIObject)? {
    if case .found(let metric, _) = model { metric } else { nil }
  }
}

extension AppQuestion {
  /// What App Store Connect says of a metric of the catalogue.
  fileprivate func appStore(of metric: String) throws -> AppStoreModel {
    var notes = try request.source.appStoreNotes(of: app)
    notes.goals.removeAll { $0.counterpart != metric }
    notes.insights.removeAll { $0.counterpart != metric }
    notes.signatures.removeAll { !$0.counterparts.contains(metric) }
    return AppStoreModel(
      figures: try request.source.appStoreFigures(of: app).filter { $0.key.counterpart == metric }, notes: notes)
  }
}

extension AppQuestion {
  /// What performance tests showed of a metric, beside the field.
  fileprivate func lab(of metric: String, environment: String) throws -> LabAndField {
    let runs = try request.source.labRuns(of: app, foretelling: metric)
    // Runs are only added and expire, so that different runs have different numbers.
    let set = [runs.count] + [runs.first, runs.last].map { Int($0?.imported.milliseconds ?? 0) }
    return try request.source.answer(to: ["lab", metric, environment] + set.map(String.init), about: app) {
      try LabAndField(runs) { base, head in
        try health.change(of: metric, base: base, head: head, app, environment: environment, now: now)
      }
    }
  }
}

extension AppQuestion {
  /// Why Apple's percentiles differ from those of a metric's page.
  fileprivate func gaps(_ model: MetricModel) throws -> [AppStoreGapDecomposition] {
    guard !model.appStore.figures.isEmpty else { return [] }
    let (window, slice) = (model.window, model.slice)
    // The hash holds for this process, as the answers do.
    let question = [
      "apple-gaps", name, window.from.iso, window.to.iso, "\(slice.hashValue)",
      "\(model.appStore.figures.hashValue)",
    ]
    return try request.source.answer(to: question, about: app) {
      let scope = try health.scope(of: app, query, now: now).with(window: window, slice: slice)
      return try health.appleGaps(model.appStore.figures, of: name, scope)
    }
  }
}

extension AppQuestion {
  /// Where a metric of a release became worse than on the newest older one that was adopted; nil if there is none.
  func causes(of metric: String, in release: String, environment: String) throws -> CauseList? {
    try request.source.answer(
      to: ["causes", metric, release, environment], about: app, staleFor: Self.staleFor
    ) {
      try health.causes(of: metric, in: release, environment: environment, app, now: now)
    }
  }
}

extension AppQuestion {
  /// Where a metric of a release became worse in the last week than in the three weeks before.
  fileprivate func causesOfLastWeek(
    of metric: String, in release: String, environment: String
  ) throws -> CauseList? {
    try request.source.answer(
      to: ["causes-of-last-week", metric, release, environment], about: app, staleFor: Self.staleFor
    ) {
      let scope = try health.scope(of: app, ReportQuery(environment: environment), now: now)
      return try health.causesOfLastWeek(of: metric, in: release, scope)
    }
  }
}

extension Page {
  public static func metric(app: String, name: String) -> Page { Page(MetricPage.self, [app, name]) }
}

extension HealthReader {
  /// Reads the model of a metric's page; nil if the window has no data of the metric.
  ///
  /// - Parameter isJudged: whether a query without a release means the newest one in use, as on pages, or all releases,
  ///   as in the API.
  /// - Parameter appStore: what App Store Connect says of the metric.
  func metricPage(
    _ app: App, metric name: String, _ query: ReportQuery = .init(), isJudged: Bool = false,
    _ appStore: AppStoreModel = AppStoreModel(), now: Timestamp
  ) throws -> MetricModel? {
    let scope = try scope(of: app, query, now: now)
    guard var model = try metricPage(name, query, scope, isJudged: isJudged) else { return nil }
    model.appStore = AppStoreModel(
      figures: appStore.figures, notes: appStore.notes, measured: try measured(appStore.figures, name, scope))
    return model
  }

  /// Plumb's numbers of the versions for which Apple has numbers.
  private func measured(
    _ figures: [AppStoreFigure], _ name: String, _ scope: Scope
  ) throws -> [String: MetricReport] {
    var found: [String: MetricReport] = [:]
    for version in AppStoreModel.versions(figures) {
      let part = scope.with(slice: scope.slice.of(release: version))
      found[version] = Self.metric(name, try series(part, metrics: Self.storedNames(of: name)))
    }
    return found
  }

  private func metricPage(
    _ name: String, _ query: ReportQuery, _ scope: Scope, isJudged: Bool
  ) throws -> MetricModel? {
    let own = with(budgets: budgets.filter { $0.metric == name })
    guard isJudged else { return try own.metricPage(name, scope, scope, nil) }
    let subject = JudgementSubject(query, scope, try releases(scope))
    guard let release = subject.release else { return try own.metricPage(name, scope, scope, nil) }
    let found = try whileKept(scope.lifetime(of: release, from: query.from)) {
      try own.metricPage(name, $0, scope, subject)
    }
    // Until this release sends the metric, all releases are shown.
    return try found ?? (query.release == nil ? own.metricPage(name, scope, scope, nil) : nil)
  }

  /// - Parameters:
  ///   - scope: the days and slice of the numbers.
  ///   - page: the days and slice of the page, for the comparison of releases.
  private func metricPage(
    _ name: String, _ scope: Scope, _ page: Scope, _ subject: JudgementSubject?
  ) throws -> MetricModel? {
    let stored = Self.storedNames(of: name)
    let series = try series(scope, metrics: stored)
    guard let report = Self.metric(name, series) else { return nil }
    let steps = subject == nil ? scope.steps : page.steps(in: scope.window.widened(unless: scope.window == page.window))
    let releases = subject == nil ? scope : page.with(slice: page.slice.of(release: nil))
    var model = MetricModel(
      app: scope.bundleID, window: scope.window, slice: scope.slice, environmentNote: scope.environmentNote,
      report: report, metric: Catalogue.metric(named: name), budgets: try metricBudgets(scope, page, series, subject),
      trends: Self.trends(steps, series, name, kind: report.kind),
      budgetTrends: Self.budgetTrends(steps, series, budgets), releaseMarkers: markers(releases),
      distribution: Self.bars(series, name),
      byRelease: try breakdown(releases, name, .release, budgets.first),
      byDeviceClass: try breakdown(scope, name, .deviceClass, budgets.first),
      bySystem: try breakdown(scope, name, .os, budgets.first),
      byDevice: try breakdown(scope, name, .device, budgets.first, hasTrends: false)
        .sorted { ($1.report.n, $0.key) < ($0.report.n, $1.key) },
      byLabel: try breakdown(byLabel: scope, name, budgets.first),
      byAttribute: try breakdown(scope, name, .attribute, budgets.first), asOf: scope.now)
    guard let release = subject?.release else { return model }
    let statistic = budgets.first?.statistic ?? (report.kind == .distribution ? .percentile(90) : .value)
    model.trendOfAll = Trend.points(steps, try self.series(releases, metrics: stored), name, statistic)
    // One number must have one interval, so the judged release's row repeats the report at the top.
    for index in model.byRelease.indices where model.byRelease[index].key == release.release.title {
      model.byRelease[index].report = report
      model.byRelease[index].verdict = model.budgets.first?.verdict
    }
    return model
  }

  private func metricBudgets(
    _ scope: Scope, _ page: Scope, _ series: [Series], _ subject: JudgementSubject?
  ) throws -> [BudgetResult] {
    guard subject != nil else { return try results(scope, series: series) }
    let plain = with(budgets: budgets.filter { !$0.isPerRelease })
    let naming = with(budgets: budgets.filter(\.isPerRelease))
    return try plain.settle(plain.results(scope, series: series), scope) + naming.results(page, series: [])
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

import Budgets
package import Health
package import Storage
package import Telemetry

/// The page that lists every budget with its verdict on each part of the data.
public enum BudgetsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/budgets"
  public static let navigationTitle: String? = "Budgets"
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint("apps/{app}/budgets/slices"),
    endpoint { question in
      .table(
        BudgetList(
          app: question.app.bundleID,
          results: try question.health.check(question.app, question.unlabelled, now: question.now),
          incidents: try question.request.source.openIncidents(question.app)))
    },
  ]

  public static func load(_ question: AppQuestion) throws -> BudgetsModel? {
    try question.health.budgetPage(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: BudgetsModel, _ context: PageContext) -> [UInt8] {
    BudgetsView.render(model, context)
  }

  public static func data(_ model: BudgetsModel) -> PageData? { .table(model) }
}

extension Page {
  public static func budgets(app: String) -> Page { Page(BudgetsPage.self, [app]) }
}

extension HealthReader {
  /// Reads the model of the budgets page.
  package func budgetPage(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> BudgetsModel {
    let scope = try scope(of: app, query, now: now)
    let names = Set(budgets.flatMap { Self.storedNames(of: $0.metric) } + ["sessions"]).sorted()
    let series = try series(scope, metrics: names)
    let results = try results(scope, series: series)
    var parts: [(Dimension, [Series])] = []
    for dimension in Self.judgedDimensions where !scope.slice.names(dimension) {
      parts.append((dimension, try memberSeries(scope, names, dimension)))
    }
    return BudgetsModel(
      app: scope.bundleID, window: scope.window, slice: scope.slice, environmentNote: scope.environmentNote,
      rows: results.map { row($0, scope, series, parts) }, burn: try burn(scope, series: series),
      digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  /// The dimensions that budgets are evaluated for. Single device models usually have too few data; device classes have
  /// enough.
  private static let judgedDimensions = [Dimension.release, .deviceClass, .os]

  private func memberSeries(_ scope: Scope, _ names: [String], _ dimension: Dimension) throws -> [Series] {
    do {
      return try series(scope, metrics: names, dimension: dimension)
    } catch StoreError.windowTooOld {
      return []
    }
  }

  private func row(
    _ result: BudgetResult, _ scope: Scope, _ series: [Series], _ parts: [(Dimension, [Series])]
  ) -> BudgetRow {
    let title = Catalogue.metric(named: result.metric)?.title ?? result.metric
    guard let budget = budgets.first(where: { $0.text == result.budget }) else {
      return BudgetRow(title: title, result: result)
    }
    // A budget on its own window, device, label or release is already about one part of the data.
    let isPlain =
      !budget.isNarrow && !budget.isPerRelease && result.window == scope.window
      && result.slice.environment == scope.slice.environment
    guard isPlain else { return BudgetRow(title: title, result: result) }
    return BudgetRow(
      title: title, result: result, errorBudgetLeft: Self.errorBudgetLeft(budget, series),
      slices: parts.flatMap { verdicts(budget, $0.1, $0.0, scope) })
  }
}

extension Slice {
  /// Whether the slice is filtered to one member of a dimension.
  func names(_ dimension: Dimension) -> Bool {
    switch dimension {
    case .release: release != nil
    case .os: os != nil
    case .device: device != nil
    case .deviceClass: deviceClass != nil || device != nil
    }
  }
}

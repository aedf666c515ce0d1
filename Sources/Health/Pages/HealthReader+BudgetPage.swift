import Budgets
public import Storage
public import Telemetry

extension HealthReader {
  /// What the page of budgets shows.
  public func budgetPage(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> BudgetsModel {
    let scope = try scope(of: app, query, now: now)
    let names = Set(budgets.flatMap { Measure.storedNames(of: $0.metric) } + ["sessions"]).sorted()
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

  /// A model of its own has too little data to say much; its class has more.
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
    // A budget on a window, device, label or release of its own is about one part already.
    let isPlain =
      !budget.isNarrow && !budget.isPerRelease && result.window == scope.window
      && result.slice.environment == scope.slice.environment
    guard isPlain else { return BudgetRow(title: title, result: result) }
    let measure = Measure.named(budget.metric, in: series)?.measure
    return BudgetRow(
      title: title, result: result, errorBudgetLeft: measure.flatMap { Judge(budget: budget).errorBudgetLeft($0) },
      slices: parts.flatMap { verdicts(budget, $0.1, $0.0, scope) })
  }
}

extension Judge {
  /// What is left of the bad events that the budget allows; nil where it allows no number of them.
  func errorBudgetLeft(_ measure: Measure) -> Double? {
    guard let allowed = allowedBadShare, allowed > 0, let observed = observedBadShare(measure), observed.isFinite else {
      return nil
    }
    return 1 - observed / allowed
  }
}

extension Slice {
  /// Whether it is narrowed to one member of a dimension.
  func names(_ dimension: Dimension) -> Bool {
    switch dimension {
    case .release: release != nil
    case .os: os != nil
    case .device: device != nil
    case .deviceClass: deviceClass != nil || device != nil
    }
  }
}

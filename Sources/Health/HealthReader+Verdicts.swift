import Budgets
public import Storage
public import Telemetry

extension HealthReader {
  /// What `check` judges: the app over the window, and each of the two newest adopted releases over its own life.
  public func check(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> [BudgetResult] {
    let scope = try scope(of: app, query, now: now)
    let all = try results(scope, series: try series(scope))
    guard query.release == nil else { return all }
    return all + (try releaseResults(scope, releases: try releases(scope)))
  }

  /// The stored metrics that budgets look at.
  private var budgetedMetrics: [String] { Array(Set(budgets.flatMap { Measure.storedNames(of: $0.metric) })) }

  /// Every budget on one scope. A budget of a metric that has no data at all is reported only when it asks for data.
  func results(_ scope: Scope, series: [Series]) throws -> [BudgetResult] {
    try budgets.flatMap { budget -> [BudgetResult] in
      let own = self.scope(of: budget, in: scope)
      let result: BudgetResult
      if own.window == scope.window, own.slice == scope.slice, budget.device == nil {
        result = judge(budget, own, series)
      } else {
        result = try judgeKept(budget, own)
      }
      return result.n > 0 || !budget.isDefault ? [result] : []
    }
  }

  /// Verdicts on the two newest releases with at least 5 % of the last day's sessions, each over its own life.
  func releaseResults(_ scope: Scope, releases: [ReleaseReport]) throws -> [BudgetResult] {
    let adopted = releases.filter { ($0.adoption ?? 0) >= 0.05 && $0.release != .mixed }.prefix(2)
    return try adopted.flatMap { found -> [BudgetResult] in
      var slice = scope.slice
      slice.release = found.release.title
      // Marginals are kept 400 days: a release's life is asked for within them.
      let first = max(found.firstSeen, scope.window.to - 399)
      let own = scope.with(window: Window(from: first, to: scope.window.to), slice: slice)
      return try settle(try results(own, series: try series(own, metrics: budgetedMetrics)), own)
    }
  }

  /// A release is within budget only on sessions that started a day ago and earlier: a crash is reported by the launch
  /// after it.
  private func settle(_ results: [BudgetResult], _ scope: Scope) throws -> [BudgetResult] {
    let settled = scope.localNow.day() - 2
    let isYoung = { (result: BudgetResult) in
      result.verdict == .within && result.window.to > settled
        && (result.metric.hasPrefix("sessions.") || result.metric.hasPrefix("users."))
    }
    guard results.contains(where: isYoung) else { return results }
    let old: [BudgetResult]
    if scope.window.from <= settled {
      let own = scope.with(window: Window(from: scope.window.from, to: settled))
      old = try self.results(own, series: try series(own, metrics: ["sessions", "users"]))
    } else {
      old = []
    }
    return results.map { result in
      guard isYoung(result) else { return result }
      if let settledResult = old.first(where: { $0.budget == result.budget }) {
        return settledResult.verdict == .within ? result : settledResult
      }
      var young = result
      young.verdict = .notEnoughData
      young.reason = .few
      return young
    }
  }

  private func scope(of budget: Budget, in scope: Scope) -> Scope {
    var slice = scope.slice
    if let environment = budget.environment { slice.environment = environment }
    var window = scope.window
    if let days = budget.days { window = Window(days: days, endingOn: window.to) }
    return scope.with(window: window, slice: slice)
  }

  /// Judges on the whole window, or on the part of it that is kept for this combination of filters: a budget on one
  /// device must not make the verdicts on a release older than 35 days impossible.
  private func judgeKept(_ budget: Budget, _ scope: Scope) throws -> BudgetResult {
    do {
      return try judge(budget, scope)
    } catch StoreError.windowTooOld(let oldest) where oldest <= scope.window.to {
      return try judge(budget, scope.with(window: Window(from: oldest, to: scope.window.to)))
    }
  }

  /// Judges a budget that looks at another slice or window than the page.
  private func judge(_ budget: Budget, _ scope: Scope) throws -> BudgetResult {
    let names = Measure.storedNames(of: budget.metric)
    guard let device = budget.device else { return judge(budget, scope, try series(scope, metrics: names)) }
    let rows = try rows(scope, metrics: names, dimension: .device).filter { device.matches(model: $0.member) }
    var slice = scope.slice
    slice.device = device.text
    // The devices that match count as one: their rows are merged under no name.
    let merged = rows.map { row in
      var row = row
      row.member = ""
      return row
    }
    return judge(budget, scope.with(slice: slice), SeriesSet(merged).chosen)
  }

  private func judge(_ budget: Budget, _ scope: Scope, _ series: [Series]) -> BudgetResult {
    let found = series.first { $0.metric.name == budget.metric }
    // A custom metric's unit is what its client sends; the budget may be written in another one of the same kind.
    let own = found.flatMap { budget.converted(to: $0.metric.unit) } ?? budget
    let measure = Measure.named(budget.metric, in: series)?.measure
    return Judge(budget: own).result(measure, on: scope, slice: scope.slice)
  }
}

extension Release {
  /// `4.2.0 (1234)`, or `4.2.0` without a build.
  var title: String { build.isEmpty ? version : "\(version) (\(build))" }
}

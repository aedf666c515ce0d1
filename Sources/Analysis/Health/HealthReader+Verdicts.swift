public import Core
public import Storage

extension HealthReader {
  /// The results that `plumb check` reports: those of the judgement, then those of budgets that name releases.
  public func check(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> [BudgetResult] {
    let scope = try scope(of: app, query, now: now)
    let judgement = try judgement(scope, query, releases: try releases(scope))
    guard judgement.release != nil else { return judgement.results }
    let naming = with(budgets: budgets.filter(\.isPerRelease))
    return judgement.results + (try naming.results(scope, series: []))
  }

  /// The results of all budgets on one scope. A default budget whose metric has no data at all is left out.
  package func results(_ scope: Scope, series: [Series]) throws -> [BudgetResult] {
    try budgets.flatMap { budget -> [BudgetResult] in
      let found = budget.isPerRelease ? try perRelease(budget, scope) : [try result(of: budget, scope, series)]
      return found.filter { $0.n > 0 || !budget.isDefault }
    }.map(\.unlessSimulated)
  }

  /// The results for the two newest releases with at least 5 % of the last day's sessions, each over its own lifetime.
  package func releaseResults(_ scope: Scope, releases: [ReleaseReport]) throws -> [BudgetResult] {
    try judgedReleases(releases).flatMap { try releaseResults(of: $0, scope) }
  }

  /// The two newest releases with at least 5 % of the last day's sessions.
  func judgedReleases(_ releases: [ReleaseReport]) -> [ReleaseReport] {
    Array(releases.filter(Subject.isJudged).prefix(2))
  }

  func releaseResults(of release: ReleaseReport, _ scope: Scope) throws -> [BudgetResult] {
    try with(budgets: budgets.filter { !$0.isPerRelease }).lifeResults(of: release, scope)
  }

  private func result(of budget: Budget, _ scope: Scope, _ series: [Series]) throws -> BudgetResult {
    let own = scope.narrowed(by: budget)
    let isRead = own.window == scope.window && own.slice == scope.slice && budget.matching(in: own.slice) == .all
    return isRead ? judge(budget, own, series) : try judgeKept(budget, own)
  }

  /// Evaluates a budget on the whole window, or on the part for which this combination of filters is kept: a budget on
  /// one device must not make the verdicts on a release older than 35 days impossible.
  func judgeKept(_ budget: Budget, _ scope: Scope) throws -> BudgetResult {
    switch try Kept({ try series(of: budget, scope) }) {
    case .whole(let series): return judge(budget, scope, series)
    case .from(let oldest):
      guard oldest <= scope.window.to else { throw StoreError.windowTooOld(oldest: oldest) }
      let kept = scope.with(window: Window(from: oldest, to: scope.window.to))
      return judge(budget, kept, try series(of: budget, kept))
    }
  }

  private func judge(_ budget: Budget, _ scope: Scope, _ series: [Series]) -> BudgetResult {
    let found = series.first { $0.metric.name == budget.metric }
    // A custom metric has the unit that its client sends; the budget may be written in another unit of the same kind.
    let own = found.flatMap { budget.converted(to: $0.metric.unit) } ?? budget
    let measure = Measure.named(budget.metric, in: series)?.measure
    var result = Judge(budget: own).result(measure, on: scope, slice: budget.named(in: scope.slice))
    if result.n == 0, budget.isNarrow || budget.environment != nil {
      result.reason = .unmatched
      result.reasonText = uncounted(budget, in: series)
    }
    if testsIncidents, let measure, measure.n > 0 {
      result.incidentTests = Judge(budget: own).incidentTests(measure, in: series)
    }
    return result
  }
}

extension BudgetResult {
  /// What Xcode simulated says nothing about an app: its numbers are shown, and not judged.
  var unlessSimulated: BudgetResult {
    guard slice.environment == Scope.simulated else { return self }
    var shown = self
    (shown.verdict, shown.reason, shown.reasonText) = (.notEnoughData, nil, "Simulated payloads are not judged.")
    (shown.bound, shown.needed, shown.incidentTests) = (nil, nil, nil)
    return shown
  }
}

extension HealthReader {
  /// Why a number is missing although there are sessions; nil if it is not missing, or has another reason.
  private func uncounted(_ budget: Budget, in series: [Series]) -> String? {
    guard budget.metric == "users.crash_free", let sessions = Measure.named("sessions.crash_free", in: series)?.measure,
      sessions.n > 0
    else { return nil }
    return "Users are not counted for a combination of conditions; users.crash_free_daily is."
  }
}

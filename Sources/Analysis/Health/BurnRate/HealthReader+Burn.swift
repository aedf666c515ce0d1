import Core
import Statistics
import Storage

extension HealthReader {
  /// The current burn rates, and what is left of the error budget over the 28 days that end with the window.
  package func burn(_ scope: Scope, series: [Series]) throws -> BurnReport {
    guard let target = crashFreeTarget(in: scope.slice) else { return BurnReport() }
    var report = try burnRates(scope)
    report.budgetLeft = try budgetLeft(scope, target, series)
    return report
  }

  /// The current burn rates, without what is left of the error budget.
  func burnRates(_ scope: Scope) throws -> BurnReport {
    guard let target = crashFreeTarget(in: scope.slice) else { return BurnReport() }
    var report = BurnReport(target: target)
    guard isAboutNow(scope) else { return report }
    let first = ArrivalWindow.first(minutes: BurnPolicy.all.map(\.long).max() ?? 0, before: scope.now)
    let arrivals = try store.arrivals(
      ArrivalQuery(app: scope.app, environment: scope.slice.environment, release: scope.slice.release, from: first))
    report.windows = BurnPolicy.all.map { Self.window($0, target, arrivals, scope.now) }
    return report
  }

  /// The target of the first budget on crash-free sessions that applies to the whole environment.
  private func crashFreeTarget(in slice: Slice) -> Double? {
    budgets.first { budget in
      budget.metric == "sessions.crash_free" && budget.comparison == .atLeast && !budget.isNarrow
        && (budget.environment ?? slice.environment) == slice.environment
    }?.target
  }

  /// Whether burn rates can be computed: the window ends today, and filters are environment and release only, because
  /// arrivals are kept by these.
  private func isAboutNow(_ scope: Scope) -> Bool {
    let slice = scope.slice
    guard slice.os == nil, slice.device == nil, slice.deviceClass == nil, slice.attribute == nil,
      slice.label == nil
    else { return false }
    guard let newest = scope.inventory.environments[slice.environment] else { return false }
    return scope.window.to >= min(newest, scope.localNow.day())
  }

  private func budgetLeft(_ scope: Scope, _ target: Double, _ series: [Series]) throws -> Double? {
    let window = Window(days: BurnPolicy.budgetDays, endingOn: scope.window.to)
    var series = series
    if window != scope.window {
      let kept = try Kept { try self.series(scope.with(window: window), metrics: ["sessions"]) }
      guard let whole = kept.whole else { return nil }
      series = whole
    }
    guard let (tally, _) = Measure.tally(series), target < 1 else { return nil }
    return 1 - Double(tally[.crashed]) / (Double(tally.total) * (1 - target))
  }

  private static func window(
    _ policy: BurnPolicy, _ target: Double, _ arrivals: [Arrival], _ now: Timestamp
  ) -> BurnWindow {
    let long = ArrivalWindow(minutes: policy.long, before: now, in: arrivals)
    let short = ArrivalWindow(minutes: policy.short, before: now, in: arrivals)
    var window = BurnWindow(
      policy, longRate: long.rate(target: target), shortRate: short.rate(target: target),
      crashed: Int(long.crashed), users: long.crashedUsers)
    // If clients name no users, the number of crashes alone decides.
    let hasManyUsers = long.crashedUsers.map { $0 >= BurnPolicy.fewestUsers } ?? true
    window.seen = Int(long.seen)
    guard let longRate = window.longRate, let shortRate = window.shortRate else { return window }
    window.fires =
      longRate > policy.factor && shortRate > policy.factor && long.crashed >= BurnPolicy.fewestCrashes
      && hasManyUsers
    window.isCertain = window.fires && (certainRate(long, target) ?? 0) > policy.factor
    return window
  }

  /// The lower bound of a window's burn rate at the confidence of incidents. A user who crashes in a loop counts once.
  private static func certainRate(_ window: ArrivalWindow, _ target: Double) -> Double? {
    let crashed = min(Double(window.crashedUsers ?? Int(window.crashed)), Double(window.seen))
    let bounds = Interval.ratio(
      k: crashed, n: Double(window.seen), effect: .none(of: Double(window.seen)), tail: 1 - IncidentTest.confidence)
    return bounds.low.map { $0 / (1 - target) }
  }
}

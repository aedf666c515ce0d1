import Budgets
import Statistics
public import Storage
public import Telemetry

extension HealthReader {
  /// Compares two releases on the days both were in use, within `from` and `to` of the query and its filters, of which
  /// the release does not apply. Throws `ImpossibleComparison`.
  ///
  /// - Parameter byLabel: whether the labels of labelled metrics are compared, too.
  public func compare(
    _ app: App, base: String, head: String, _ query: ReportQuery = .init(), byLabel: Bool = false, now: Timestamp
  ) throws -> ReleaseComparison {
    guard base != head else { throw ImpossibleComparison.sameRelease(base) }
    let scope = try scope(of: app, query, now: now)
    let environment = scope.slice.environment
    let builds = (try builds(of: base, scope), try builds(of: head, scope))
    guard Set(builds.0.map(\.release)).isDisjoint(with: builds.1.map(\.release)) else {
      let isWhole = builds.0.contains { $0.release.version == base }
      throw ImpossibleComparison.overlapping(build: isWhole ? head : base, release: isWhole ? base : head)
    }
    let lives = (life(of: builds.0), life(of: builds.1))
    // Rows by release are kept 400 days.
    let to = min(lives.0.to, lives.1.to, query.to ?? lives.0.to)
    let from = max(lives.0.from, lives.1.from, query.from ?? lives.0.from, to - 399)
    guard from <= to else {
      throw ImpossibleComparison.noCommonDay(base: base, baseLife: lives.0, head: head, headLife: lives.1)
    }
    var slice = scope.slice
    slice.release = nil
    func side(_ release: String, _ window: Window) throws -> ReleaseSeriesPair.Side {
      var own = slice
      own.release = release
      let scope = scope.with(window: window, slice: own)
      return ReleaseSeriesPair.Side(
        whole: try set(scope, leavesOutTotals: true),
        classes: try set(scope, dimension: .deviceClass, leavesOutTotals: true), label: slice.label ?? "")
    }
    let (window, pair) = try Self.kept(Window(from: from, to: to)) { window in
      ReleaseSeriesPair(base: try side(base, window), head: try side(head, window))
    }
    let drafts = pair.metrics.compactMap { draft($0, pair, in: environment) }
    let known = Set(drafts.map(\.result.name))
    // A metric that a budget requires is listed even without data, but not where a label narrows the metrics down.
    let missing = budgets.filter {
      slice.label == nil && $0.requiresData && !known.contains($0.metric) && Self.isWhole($0, environment)
    }
    var comparison = ReleaseComparison(
      app: scope.bundleID, base: base, head: head, window: window, environment: environment,
      environmentNote: scope.environmentNote,
      metrics: ComparisonSeverity.sorted(
        ComparisonJudge.settle(drafts + missing.map(ComparisonDraft.init(lacking:)))),
      digestedThrough: scope.inventory.digestedThrough, asOf: now)
    comparison.slice = slice
    if byLabel, slice.label == nil { try addLabels(to: &comparison, scope) }
    return comparison
  }

  /// What `read` finds in the window, or in the part of it whose rows are still kept: rows of combined filters and of
  /// labels are kept for a shorter time than those of releases.
  static func kept<Found>(_ window: Window, _ read: (Window) throws -> Found) throws -> (Window, Found) {
    do {
      return (window, try read(window))
    } catch StoreError.windowTooOld(let oldest) where window.from < oldest && oldest <= window.to {
      let rest = Window(from: oldest, to: window.to)
      return (rest, try read(rest))
    }
  }

  func draft(_ metric: ComparedMetric, _ pair: ReleaseSeriesPair, in environment: String) -> ComparisonDraft? {
    // A budget on some devices does not apply to the whole fleet, which is compared here.
    let budget = budgets.first { $0.metric == metric.name && Self.isWhole($0, environment) }
    return ComparisonDraft(metric, pair.series(of: metric), budget: budget.flatMap { $0.converted(to: metric.unit) })
  }

  private static func isWhole(_ budget: Budget, _ environment: String) -> Bool {
    !budget.isNarrow && (budget.environment ?? environment) == environment
  }

  /// The builds that a release name stands for in the environment: all builds of a version, or one.
  private func builds(of name: String, _ scope: Scope) throws -> [KnownRelease] {
    let known = scope.inventory.releases.filter { $0.environment == scope.slice.environment }
    let own = known.filter { $0.release.isCalled(name) }
    guard own.isEmpty else { return own }
    let newest = known.sorted { VersionOrder.precedes($1.release, $0.release) }.prefix(5).map(\.release.title)
    throw ImpossibleComparison.unknownRelease(name, environment: scope.slice.environment, known: Array(newest))
  }

  /// The days on which any of the builds was in use, from the first to the last.
  private func life(of builds: [KnownRelease]) -> Window {
    let first = builds.map(\.firstDay).min() ?? builds[0].firstDay
    return Window(from: first, to: builds.map(\.lastDay).max() ?? first)
  }
}

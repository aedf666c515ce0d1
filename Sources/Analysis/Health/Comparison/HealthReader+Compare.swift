public import Core
import Statistics
public import Storage

extension HealthReader {
  /// Compares two releases on the days both were in use, within `from` and `to` of the query and its filters, or two
  /// groups by the app's attribute (`experiment=control`, `region!=DE`) on the days of the query. Throws
  /// `ImpossibleComparison`.
  ///
  /// - Parameter byLabel: whether the labels of labelled metrics are compared, too.
  public func compare(
    _ app: App, base: String, head: String, _ query: ReportQuery = .init(), byLabel: Bool = false, now: Timestamp
  ) throws -> ReleaseComparison {
    guard base != head else { throw ImpossibleComparison.sameRelease(base) }
    let scope = try scope(of: app, query, now: now)
    let environment = scope.slice.environment
    let groups = try comparedGroups(base: base, head: head, app, query, scope)
    guard groups != nil || query.release == nil else {
      throw InvalidQuery(
        detail: "release: base and head name releases; it applies where values of the app's attribute are compared",
        parameter: "release", isReadable: true)
    }
    let days = try groups == nil ? commonDays(of: base, and: head, scope, query) : scope.window
    var comparison = ReleaseComparison(
      app: scope.bundleID, base: base, head: head, window: days, environment: environment,
      environmentNote: scope.environmentNote, metrics: [], digestedThrough: scope.inventory.digestedThrough, asOf: now)
    comparison.groups = groups
    comparison.slice = scope.slice
    if groups == nil { comparison.slice.release = nil }
    func side(_ slice: Slice, _ window: Window) throws -> ReleaseSeriesPair.Side {
      let scope = scope.with(window: window, slice: slice)
      return ReleaseSeriesPair.Side(
        whole: try set(scope, leavesOutTotals: true),
        classes: try set(scope, dimension: .deviceClass, leavesOutTotals: true), label: slice.label ?? "")
    }
    let slices = comparison.slices
    let (window, pair) = try Self.kept(days) { window in
      ReleaseSeriesPair(base: try side(slices.base, window), head: try side(slices.head, window))
    }
    comparison.window = window
    if let groups, let empty = pair.sideWithoutData {
      throw ImpossibleComparison.unknownGroup(
        (empty == .base ? groups.base : groups.head).text, known: try values(of: groups.base.name, scope))
    }
    let drafts = pair.metrics.compactMap { draft($0, pair, in: environment) }
    let known = Set(drafts.map(\.result.name))
    // A metric that a budget requires is listed even without data, but not where a label narrows the metrics down.
    let missing = budgets.filter {
      comparison.slice.label == nil && $0.requiresData && !known.contains($0.metric) && Self.isWhole($0, environment)
    }
    comparison.metrics = ComparisonSeverity.sorted(
      ComparisonJudge.settle(drafts + missing.map(ComparisonDraft.init(lacking:))))
    if byLabel, comparison.slice.label == nil { try addLabels(to: &comparison, scope) }
    return comparison
  }

  /// The days on which both releases were in use, within those of the query.
  private func commonDays(
    of base: String, and head: String, _ scope: Scope, _ query: ReportQuery
  ) throws -> Window {
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
    return Window(from: from, to: to)
  }

  /// What `read` finds in the window, or in the part of it whose rows are still kept: rows of combined filters and of
  /// labels are kept for a shorter time than those of releases.
  static func kept<Found>(_ window: Window, _ read: (Window) throws -> Found) throws -> (Window, Found) {
    switch try Kept({ try read(window) }) {
    case .whole(let found): return (window, found)
    case .from(let oldest):
      guard window.from < oldest, oldest <= window.to else { throw StoreError.windowTooOld(oldest: oldest) }
      let rest = Window(from: oldest, to: window.to)
      return (rest, try read(rest))
    }
  }

  func draft(_ metric: ComparedMetric, _ pair: ReleaseSeriesPair, in environment: String) -> ComparisonDraft? {
    // A budget on some devices does not apply to the whole fleet, which is compared here. A file that has only such ones
    // of a metric says nothing of the fleet, so that the metric is compared as without the file.
    let own = budgets.filter { $0.metric == metric.name }
    let budget =
      own.first { Self.isWhole($0, environment) }
      ?? (own.isEmpty ? nil : DefaultBudgets.all.first { $0.metric == metric.name && Self.isWhole($0, environment) })
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

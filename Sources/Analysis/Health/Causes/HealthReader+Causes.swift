package import Core
import Statistics
package import Storage

extension HealthReader {
  /// What changed between two releases: the parts of the use in which a metric became worse. Nil for a metric without
  /// bad events, without data of both releases, and if rows by cell are no longer stored.
  ///
  /// - Parameters:
  ///   - scope: the app and environment, without a release.
  ///   - window: the days on which both are in use. Only those whose rows by cell are still stored are compared.
  func causes(
    of metric: String, release: String, base: String, _ scope: Scope, _ window: Window
  ) throws -> CauseList? {
    let history = Window(from: window.from - Scope.defaultDays, to: window.to)
    return try causes(of: metric, head: (release, window), base: (base, window), scope, history: history)
  }

  /// Where a metric became worse in the last week than in the three weeks before; nil without data of both.
  ///
  /// - Parameters:
  ///   - release: the release in use on these days.
  ///   - scope: the app and environment, and the days of which the last four weeks are compared.
  package func causesOfLastWeek(of metric: String, in release: String, _ scope: Scope) throws -> CauseList? {
    let last = scope.window.to
    let recent = Window(from: last - 6, to: last)
    let before = Window(from: last - 27, to: last - 7)
    guard
      var list = try causes(
        of: metric, head: (release, recent), base: (release, before), scope,
        history: Window(from: before.from, to: last))
    else { return nil }
    (list.base, list.before) = (nil, before)
    return list
  }

  private func causes(
    of metric: String, head: (release: String, window: Window), base: (release: String, window: Window),
    _ scope: Scope, history: Window
  ) throws -> CauseList? {
    let own = budget(for: metric, in: scope.slice.environment)
    let labels = try labelCount(of: metric, scope.with(window: head.window))
    let data = try rolloutData(
      (base.release, head.release), scope, metrics: Measure.storedNames(of: metric) + UsageRow.metrics,
      history: history, head.window, readsAges: false)
    guard let (compared, source, subject) = data.subject(of: metric, own) else { return nil }
    func read(
      _ side: (release: String, window: Window), _ counts: RolloutCounts, isHead: Bool
    ) throws -> (window: Window, cells: CauseCellCounts)? {
      var slice = scope.slice
      slice.release = side.release
      let days = try searched(side.window, scope, releases: [head.release, base.release], labels: labels)
      do {
        return try Self.kept(days) { window in
          try cellCounts(
            compared, source, scope.with(window: window, slice: slice), subject, counts, isHead: isHead,
            hasLabels: labels > 1)
        }
      } catch StoreError.windowTooOld {
        return nil
      }
    }
    guard let ours = try read(base, subject.counts.base, isHead: false),
      let theirs = try read(head, subject.counts.head, isHead: true)
    else { return nil }
    let found = CauseCellCounts.causes(head: theirs.cells, base: ours.cells)
    let isOfSameDays = head.window == base.window
    let update =
      isOfSameDays
      ? try updateCause(
        of: metric, source, release: head.release, base: base.release, scope, history: history, head.window, subject)
      : nil
    return CauseList(
      metric: metric, release: head.release, base: base.release,
      window: isOfSameDays
        ? Window(from: max(ours.window.from, theirs.window.from), to: theirs.window.to) : theirs.window,
      causes: found.causes + [update].compactMap { $0 }, tested: found.tested, isWorse: found.isWorse)
  }

  /// The last days of a window, so many that their rows by combination are read in bounded time: all of them unless an
  /// app has very many combinations of names. `releases`: those whose rows are read; nil for all together.
  private func searched(
    _ window: Window, _ scope: Scope, releases: [String?], labels: Int = 1, most: Int = mostCauseRows
  ) throws -> Window {
    let rows = try releases.reduce(0) {
      $0.saturatingAdd(
        try store.combinations(of: scope.app, environment: scope.slice.environment, release: $1))
    }
    return Self.searched(window, combinations: rows, labels: labels, most: most)
  }

  static func searched(_ window: Window, combinations: Int, labels: Int, most: Int = mostCauseRows) -> Window {
    let days = max(1, most / max(1, combinations) / max(1, labels))
    return days < window.days ? Window(from: window.to - (days - 1), to: window.to) : window
  }

  /// The maximum number of rows that are read for a list of causes, estimated from the number of combinations.
  static let mostCauseRows = 250_000
  /// The same for the use of a group's parts, whose rows are counts of sessions.
  private static let mostUseRows = 500_000

  /// Where a metric of a release became worse than on the newest older one that was adopted; nil if there is none, or if
  /// they cannot be compared.
  package func causes(
    of metric: String, in release: String, environment: String, _ app: App, now: Timestamp
  ) throws -> CauseList? {
    let query = ReportQuery(environment: environment)
    guard let pair = try comparedReleases(app, query, head: release, now: now) else { return nil }
    let scope = try scope(of: app, query, now: now)
    do {
      return try causes(
        of: metric, release: release, base: pair.base, scope, try commonDays(of: pair.base, and: release, scope, query))
    } catch is ImpossibleComparison {
      return nil
    }
  }

  /// Whether only rows by combination have a scope's filters together with a dimension.
  func readsCells(_ scope: Scope, by dimension: Dimension) -> Bool {
    query(scope, UsageRow.metrics, dimension, false).sliceKind == .cell
  }

  /// The sessions of each member of a dimension, and the days on which they were counted, which are fewer than the
  /// scope's for an app with very many combinations of names; payloads for an app without sessions. Empty if such rows
  /// are no longer stored.
  package func uses(_ scope: Scope, by dimension: Dimension) throws -> (window: Window, uses: [String: Double]) {
    let window =
      readsCells(scope, by: dimension)
      ? try searched(scope.window, scope, releases: [scope.slice.release], most: Self.mostUseRows) : scope.window
    // A row at a time, because there may be millions.
    let read = try KeptWindow { () throws -> [UsageRow.Kind: [String: Double]] in
      var uses: [UsageRow.Kind: [String: Double]] = [:]
      try forEachRow(scope.with(window: window), metrics: UsageRow.metrics, dimension: dimension) { row in
        if let usage = UsageRow(row) { uses[usage.kind, default: [:]][row.member, default: 0] += Double(usage.count) }
      }
      return uses
    }
    let uses = read.whole ?? [:]
    return (window, uses[.sessions] ?? uses[.payloads] ?? [:])
  }

  /// Adds to each worse metric where it became worse.
  func addCauses(to comparison: inout ReleaseComparison, _ scope: Scope) throws {
    guard comparison.groups == nil, comparison.slice.label == nil else { return }
    let worse = comparison.metrics.indices.filter {
      comparison.metrics[$0].verdict == .worse && !Self.repeated.contains(comparison.metrics[$0].name)
    }
    for index in worse.prefix(Self.mostExplained) {
      comparison.metrics[index].causes = try causes(
        of: comparison.metrics[index].name, release: comparison.head, base: comparison.base,
        scope.with(slice: comparison.slice), comparison.window)
    }
  }

  /// The maximum number of metrics of a comparison or rollout whose causes are found. Others are mostly worse for the same reason.
  static let mostExplained = 4

  /// The bad events of each cell of a slice. `hasLabels`: whether labels are counted separately.
  private func cellCounts(
    _ metric: ComparedMetric, _ source: Source, _ scope: Scope, _ subject: RolloutAnalysis.Subject,
    _ counts: RolloutCounts, isHead: Bool, hasLabels: Bool
  ) throws -> CauseCellCounts {
    let main = Measure.storedNames(of: metric.name).first ?? metric.name
    let arrived = try arrivedShares(scope).bySource[source]
    let bad = DelayedEvent(badEventOf: metric.name)
    let (name, isKnown) = (metric.name, metric.entry != nil)
    var cells = CauseCellCounts(hasBuilds: isHead, attributes: scope.attributes)
    // Rows of a cell are ordered by day.
    var (day, share) = (scope.window.from - 1, 1.0)
    try store.forEachRow(of: query(scope, [main], .combination, hasLabels)) { row in
      guard row.source == source, isKnown || row.metric.unit == metric.unit else { return }
      if row.bin.day != day {
        day = row.bin.day
        share = bad == .payload ? 1 : arrived?.reported(bad, on: day).share ?? 1
      }
      cells.add(row.member, label: row.label, threshold: subject.limit) { threshold in
        guard var count = RolloutCounts.count(name, row.aggregate, threshold: threshold) else { return nil }
        count.use = max(count.events, count.use * share)
        return count
      }
    }
    cells.divide { counts.effect(of: $0) }
    return cells
  }

  /// The number of labels of a metric in the last week; 0 if some of its values have none, and within a label.
  private func labelCount(of metric: String, _ scope: Scope) throws -> Int {
    guard scope.slice.label == nil else { return 0 }
    let name = Measure.storedNames(of: metric).first ?? metric
    let window = Window(from: max(scope.window.from, scope.window.to - 6), to: scope.window.to)
    let whole = scope.with(window: window, slice: Slice(environment: scope.slice.environment))
    func uses(byLabel: Bool) throws -> [(label: String, use: Double)] {
      let rows = try KeptWindow { try store.rows(query(whole, [name], nil, byLabel)) }.whole ?? []
      return rows.map { row in
        (row.label, RolloutCounts.count(metric, row.aggregate, threshold: .greatestFiniteMagnitude)?.use ?? 0)
      }
    }
    let labelled = try uses(byLabel: true)
    guard !labelled.isEmpty else { return 0 }
    let all = try uses(byLabel: false).reduce(0) { $0 + $1.use }
    guard labelled.reduce(0, { $0 + $1.use }) >= Self.leastLabelled * all else { return 0 }
    return Set(labelled.map(\.label)).count
  }

  /// The minimum share of a metric's values that have a label, if labels are distinguished.
  private static let leastLabelled = 0.98
}

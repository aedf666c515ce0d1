public import Core
import Statistics
public import Storage

extension HealthReader {
  /// Judges the rollout of a release. Throws `ImpossibleComparison`.
  ///
  /// - Parameters:
  ///   - release: the release; nil for the newest in use.
  ///   - base: the release to compare it with; nil for the newest older one that was adopted.
  ///   - findsCauses: whether to also find where worse and suspicious vitals became worse.
  public func rollout(
    _ app: App, release: String?, base: String?, _ query: ReportQuery = .init(), findsCauses: Bool = false,
    now: Timestamp
  ) throws -> RolloutReport {
    var query = query
    (query.release, query.isWholeApp, query.from) = (nil, false, nil)
    let scope = try scope(of: app, query, now: now)
    // A wrong name is reported as such, not as the lack of an older release.
    for name in [release, base].compactMap(\.self) { _ = try builds(of: name, scope) }
    let chosen = try rolloutReleases(app, release: release, base: base, query, now: now)
    guard chosen.head != chosen.base else { throw ImpossibleComparison.sameRelease(chosen.head) }
    let builds = (base: try builds(of: chosen.base, scope), head: try builds(of: chosen.head, scope))
    guard Set(builds.base.map(\.release)).isDisjoint(with: builds.head.map(\.release)) else {
      throw ImpossibleComparison.overlapping(build: chosen.head, release: chosen.base)
    }
    let lives = (base: life(of: builds.base), head: life(of: builds.head))
    let last = min(lives.head.to, lives.head.from + (RolloutReport.longest - 1), query.to ?? lives.head.to)
    guard lives.head.from <= last else {
      throw InvalidQuery(
        detail: "to: \(last.iso) is before the first day of \(chosen.head), \(lives.head.from.iso)", parameter: "to",
        isReadable: true)
    }
    let window = Window(from: lives.head.from, to: last)
    let history = Window(from: max(lives.base.from, window.from - Retention().ages), to: last)
    var report = RolloutReport(
      app: scope.bundleID, release: chosen.head, base: chosen.base, slice: scope.slice,
      environmentNote: scope.environmentNote, window: window, verdict: .extend, vitals: [], days: [],
      digestedThrough: scope.inventory.digestedThrough, asOf: now)
    let own = rolloutBudgets(in: scope.slice.environment)
    let metrics = Set(own.flatMap { Measure.storedNames(of: $0.metric) } + UsageRow.metrics + UseIntensity.metrics)
      .sorted()
    let data = try rolloutData(
      (base: chosen.base, head: chosen.head), scope, metrics: metrics, history: history, window)
    report.vitals = data.vitals(budgets: own)
    report.days = try rolloutDays(report, scope, data)
    report.forecast = (report.share ?? 0) < RolloutCostForecast.adoption ? data.forecast : nil
    report.settle()
    if findsCauses { try addCauses(to: &report, scope) }
    return report
  }

  /// Adds to each vital that is worse, suspicious or worse after the update where it became worse.
  private func addCauses(to report: inout RolloutReport, _ scope: Scope) throws {
    let doubtful = report.vitals.indices.filter {
      [.worse, .suspicious, .afterUpdate].contains(report.vitals[$0].state)
    }
    for index in doubtful.prefix(Self.mostExplained) {
      var found = try causes(
        of: report.vitals[index].name, release: report.release, base: report.base, scope, report.window)
      if report.vitals[index].state == .afterUpdate {
        // Only the update explains it, whatever else differs.
        found?.causes.removeAll { !$0.names.contains { $0.dimension == .updateAge } }
        if found?.causes.isEmpty == true { found = nil }
      }
      report.vitals[index].causes = found
    }
  }

  /// The judged release and its base.
  private func rolloutReleases(
    _ app: App, release: String?, base: String?, _ query: ReportQuery, now: Timestamp
  ) throws -> (base: String, head: String) {
    if let release, let base { return (base, release) }
    // The last day limits what is counted, not which releases are known.
    var whole = query
    whole.to = nil
    guard let pair = try comparedReleases(app, whole, head: release, now: now) else {
      throw ImpossibleComparison.noOlderRelease(release)
    }
    return (base ?? pair.base, release ?? pair.head)
  }

  /// The budgets of vitals that can be counted, one for each metric.
  private func rolloutBudgets(in environment: String) -> [Budget] {
    var seen: Set<String> = []
    return budgets.compactMap { known in
      guard seen.insert(known.metric).inserted, !Self.repeated.contains(known.metric) else { return nil }
      return budget(for: known.metric, in: environment)
    }
  }

  /// The metrics that count the same crashes as `sessions.crash_free`.
  static let repeated = ["users.crash_free", "users.crash_free_daily"]

  /// The series of both releases.
  ///
  /// - Parameters:
  ///   - metrics: the names of the stored metrics to read.
  ///   - readsAges: whether to also read the sessions by the age of the update.
  func rolloutData(
    _ releases: (base: String, head: String), _ scope: Scope, metrics: [String], history: Window, _ window: Window,
    readsAges: Bool = true
  ) throws -> RolloutAnalysis {
    func side(_ release: String, _ window: Window) throws -> ReleaseSeriesPair.Side {
      var slice = scope.slice
      slice.release = release
      return try Self.kept(window) { window in
        let scope = scope.with(window: window, slice: slice)
        return ReleaseSeriesPair.Side(
          whole: try set(scope, metrics: metrics),
          classes: try set(scope, metrics: metrics, dimension: .deviceClass, leavesOutTotals: true))
      }.1
    }
    let isWhole = scope.slice == Slice(environment: scope.slice.environment)
    let builds = scope.inventory.releases.filter {
      $0.environment == scope.slice.environment
        && ($0.release.isCalled(releases.base) || $0.release.isCalled(releases.head))
    }
    let own = Set(builds.map(\.release))
    let ages =
      isWhole && readsAges
      ? try store.sessionsByAge(
        of: scope.app, environment: scope.slice.environment, releases: own, in: history) : []
    let measured =
      isWhole && readsAges
      ? try store.measurementsByAge(
        of: scope.app, environment: scope.slice.environment, releases: own, metrics: metrics,
        in: history) : []
    var data = RolloutAnalysis(
      window: window, base: try side(releases.base, history), head: try side(releases.head, window),
      ages: (ages.filter { $0.release.isCalled(releases.base) }, ages.filter { $0.release.isCalled(releases.head) }),
      measured: (
        measured.filter { $0.release.isCalled(releases.base) }, measured.filter { $0.release.isCalled(releases.head) }
      ),
      isBaseWhole: isWholeLife(of: releases.base, in: history, scope))
    data.excess = UseIntensity.excess(
      head: data.head, base: data.base,
      fresh: (data.freshShares(ofHead: true), data.freshShares(ofHead: false)))
    return data
  }

  /// Whether a window begins with a release's first day, and another release was in use before. Without one, Plumb was
  /// installed after the release, whose first phones are then not new.
  private func isWholeLife(of release: String, in window: Window, _ scope: Scope) -> Bool {
    let known = scope.inventory.releases.filter { $0.environment == scope.slice.environment }
    let first = known.filter { $0.release.isCalled(release) }.map(\.firstDay).min()
    return first == window.from && known.contains { $0.firstDay < window.from && $0.lastDay >= window.from - 7 }
  }

  private func rolloutDays(_ report: RolloutReport, _ scope: Scope, _ data: RolloutAnalysis) throws -> [RolloutDay] {
    let all = try set(scope.with(window: report.window), metrics: UsageRow.metrics).chosen
    let fresh = data.freshShares(ofHead: true).byDay
    for name in UsageRow.metrics {
      guard let own = data.head.whole[name]?.max(by: { $0.weight < $1.weight }),
        let whole = all.first(where: { $0.metric == own.metric && $0.source == own.source })
      else { continue }
      let payloads = data.head.whole["payloads"]?.max { $0.weight < $1.weight }
      return own.allDays.compactMap { day in
        guard let use = own[day]?.weight, let total = whole[day]?.weight, total > 0 else { return nil }
        return RolloutDay(
          day: day, use: Int(clamping: use), share: min(1, Double(use) / Double(total)), fresh: fresh[day],
          arrived: RolloutDay.Arrived(
            sessions: own.arrived?.share(of: .session, on: day), crashes: own.arrived?.share(of: .crash, on: day),
            payloads: payloads?.arrived?.share(of: .payload, on: day)))
      }
    }
    return []
  }
}

extension RolloutReport {
  /// Decides on all vitals together, orders them, and sets the verdict.
  mutating func settle() {
    let limit = EvidenceDiscovery.limit(vitals.map(\.evidence.value), rate: Self.errorRate)
    for index in vitals.indices { vitals[index].settle(limit: limit) }
    let order = RolloutVital.State.allCases
    func rank(_ vital: RolloutVital) -> (Int, Double) {
      (order.firstIndex(of: vital.state) ?? 0, -vital.evidence.value)
    }
    vitals = vitals.enumerated().sorted { one, other in
      (rank(one.element).0, rank(one.element).1, one.offset) < (
        rank(other.element).0, rank(other.element).1, other.offset
      )
    }.map(\.element)
    verdict =
      if vitals.contains(where: { $0.state == .worse }) {
        .halt
      } else if vitals.isEmpty || vitals.contains(where: { $0.state == .suspicious || $0.state == .unknown }) {
        .extend
      } else {
        .continue
      }
  }
}

extension RolloutVital {
  /// Sets the state, given the evidence from which a vital halts a rollout.
  mutating func settle(limit: Double) {
    self.limit = limit
    let isExcluded = (ratio.high ?? .infinity) < Self.excluded
    state =
      if (ratio.value ?? .infinity) < Self.tolerated {
        isExcluded ? .clear : .unknown
      } else if evidence.value >= limit {
        .worse
      } else if evidence.value >= Self.suspicion {
        .suspicious
      } else if evidence.sameDays >= limit {
        matchedShare >= Self.mostlyMatched && useRatio < Self.tolerated ? .afterUpdate : .suspicious
      } else {
        isExcluded ? .clear : .unknown
      }
    if state == .worse { wait = nil }
  }

  static let mostlyMatched = 0.5
  /// The evidence from which a vital is suspicious: at most one in five healthy rollouts ever shows it.
  private static let suspicion = 5.0
}

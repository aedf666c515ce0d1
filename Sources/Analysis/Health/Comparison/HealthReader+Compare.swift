public import Core
import Statistics
public import Storage

extension HealthReader {
  /// Compares two releases on the days on which both were in use, within `from` and `to` of the query and its filters;
  /// or two groups by one of the app's attributes (`experiment=control`, `region!=DE`) on the days of the query. Throws
  /// `ImpossibleComparison`.
  ///
  /// - Parameters:
  ///   - byLabel: whether to also compare the labels of labelled metrics.
  ///   - findsCauses: whether to also find where worse metrics became worse.
  public func compare(
    _ app: App, base: String, head: String, _ query: ReportQuery = .init(), byLabel: Bool = false,
    findsCauses: Bool = false, now: Timestamp
  ) throws -> ReleaseComparison {
    guard base != head else { throw ImpossibleComparison.sameRelease(base) }
    let scope = try scope(of: app, query, now: now)
    let environment = scope.slice.environment
    let groups = try comparedGroups(base: base, head: head, app, query, scope)
    guard groups != nil || query.release == nil else {
      throw InvalidQuery(
        detail: "release: not allowed if base and head are releases; use it to compare values of the app's attribute",
        parameter: "release", isReadable: true)
    }
    guard groups != nil || query.split == nil else {
      throw InvalidQuery(
        detail: "split: not allowed if base and head are releases, because users choose when they update",
        parameter: "split", isReadable: true)
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
    if groups != nil {
      let sides = (scope.with(window: window, slice: slices.base), scope.with(window: window, slice: slices.head))
      comparison.sampleRatio = try sampleRatio(base: sides.0, head: sides.1, split: query.split)
    }
    var drafts = pair.metrics.compactMap { draft($0, pair, in: environment) }
    if groups == nil, let young = try youngRelease(comparison, pair.metrics, scope) {
      comparison.rampingUp = young.rampingUp
      for index in drafts.indices { drafts[index].age = young.comparison(of: drafts[index], pair) }
    }
    let known = Set(drafts.map(\.result.name))
    // A metric that a budget requires is listed even without data, unless the query selects a label.
    let missing = budgets.filter {
      comparison.slice.label == nil && $0.requiresData && !known.contains($0.metric) && Self.isWhole($0, environment)
    }
    comparison.metrics = ComparisonSeverity.sorted(
      ComparisonJudge.settle(
        drafts + missing.map(ComparisonDraft.init(lacking:)), isRampingUp: comparison.rampingUp != nil))
    if byLabel, comparison.slice.label == nil { try addLabels(to: &comparison, scope) }
    if findsCauses { try addCauses(to: &comparison, scope) }
    return comparison
  }

  /// The days of the query on which both releases were in use.
  func commonDays(
    of base: String, and head: String, _ scope: Scope, _ query: ReportQuery
  ) throws -> Window {
    let builds = (try builds(of: base, scope), try builds(of: head, scope))
    guard Set(builds.0.map(\.release)).isDisjoint(with: builds.1.map(\.release)) else {
      let isWhole = builds.0.contains { $0.release.version == base }
      throw ImpossibleComparison.overlapping(build: isWhole ? head : base, release: isWhole ? base : head)
    }
    let lives = (life(of: builds.0), life(of: builds.1))
    // Rows by release are stored for 400 days.
    let to = min(lives.0.to, lives.1.to, query.to ?? lives.0.to)
    let from = max(lives.0.from, lives.1.from, query.from ?? lives.0.from, to - 399)
    guard from <= to else {
      throw ImpossibleComparison.noCommonDay(base: base, baseLife: lives.0, head: head, headLife: lives.1)
    }
    return Window(from: from, to: to)
  }

  /// The result of `read` for the window, or for the part of it whose rows are still stored. Rows of combined filters
  /// and of labels expire earlier than rows of releases.
  static func kept<Found>(_ window: Window, _ read: (Window) throws -> Found) throws -> (Window, Found) {
    switch try KeptWindow({ try read(window) }) {
    case .whole(let found): return (window, found)
    case .from(let oldest):
      guard window.from < oldest, oldest <= window.to else { throw StoreError.windowTooOld(oldest: oldest) }
      let rest = Window(from: oldest, to: window.to)
      return (rest, try read(rest))
    }
  }

  func draft(_ metric: ComparedMetric, _ pair: ReleaseSeriesPair, in environment: String) -> ComparisonDraft? {
    let budget = budget(for: metric.name, in: environment).flatMap { $0.converted(to: metric.unit) }
    return ComparisonDraft(metric, pair.series(of: metric), budget: budget)
  }

  /// The budget by which a metric of a release is compared. Device-specific budgets do not apply fleet-wide. If the file
  /// has no other budgets for a metric, it is the default.
  func budget(for metric: String, in environment: String) -> Budget? {
    let own = budgets.filter { $0.metric == metric && $0.hasLimit }
    return own.first { Self.isWhole($0, environment) }
      ?? (own.isEmpty ? nil : DefaultBudgets.all.first { $0.metric == metric && Self.isWhole($0, environment) })
  }

  private static func isWhole(_ budget: Budget, _ environment: String) -> Bool {
    !budget.isNarrow && (budget.environment ?? environment) == environment
  }

  /// The builds that a release name means in the environment: all builds of a version, or a single build.
  func builds(of name: String, _ scope: Scope) throws -> [KnownRelease] {
    let known = scope.inventory.releases.filter { $0.environment == scope.slice.environment }
    let own = known.filter { $0.release.isCalled(name) }
    guard own.isEmpty else { return own }
    let newest = known.sorted { VersionOrder.precedes($1.release, $0.release) }.prefix(5).map(\.release.title)
    throw ImpossibleComparison.unknownRelease(name, environment: scope.slice.environment, known: Array(newest))
  }

  /// The days from the first to the last use of any of the builds.
  func life(of builds: [KnownRelease]) -> Window {
    let first = builds.map(\.firstDay).min() ?? builds[0].firstDay
    return Window(from: first, to: builds.map(\.lastDay).max() ?? first)
  }
}

extension HealthReader {
  /// The releases to compare by default: the newest version in use, which verdicts are about, and the newest older
  /// version that was ever adopted (if none was, the previous version). Nil if there are fewer than two. `head`: the
  /// release to compare instead of the newest.
  package func comparedReleases(
    _ app: App, _ query: ReportQuery, head: String? = nil, now: Timestamp
  ) throws -> (base: String, head: String)? {
    var known = query
    (known.release, known.os, known.device, known.deviceClass, known.label) = (nil, nil, nil, nil, nil)
    known.attribute = nil
    let builds = try releases(try scope(of: app, known, now: now)).filter(\.release.isNamed)
    let judged =
      head.map { head in builds.first { $0.release.isCalled(head) }?.release.versionTitle ?? head }
      ?? judgedReleases(builds).first?.release.versionTitle
    var versions: [(name: String, stages: Set<ReleaseStage>)] = []
    for build in builds {
      let stage = build.stage.map { [$0] } ?? []
      if versions.last?.name == build.release.versionTitle {
        versions[versions.count - 1].stages.formUnion(stage)
      } else {
        versions.append((build.release.versionTitle, Set(stage)))
      }
    }
    guard versions.count > 1, head == nil || versions.dropLast().contains(where: { $0.name == judged }) else {
      return nil
    }
    let newest = versions.dropLast().firstIndex { $0.name == judged } ?? 0
    let older = versions[(newest + 1)...]
    let base = older.first { $0.stages.contains(.adopted) || $0.stages.contains(.replaced) } ?? older.first
    return base.map { ($0.name, versions[newest].name) }
  }
}

extension HealthReader {
  /// The groups that two names mean, such as `experiment=control` and `experiment=new-cart`; nil if both are releases.
  ///
  /// Data without a value of the attribute belong to no group.
  func comparedGroups(
    base: String, head: String, _ app: App, _ query: ReportQuery, _ scope: Scope
  ) throws -> ComparedGroups? {
    let found = (try group(base, app, scope), try group(head, app, scope))
    guard let one = found.0, let other = found.1 else {
      if found.0 == nil, found.1 == nil { return nil }
      throw ImpossibleComparison.releaseAndGroup(base: base, head: head)
    }
    guard one.name == other.name else { throw ImpossibleComparison.differentAttributes(base: base, head: head) }
    guard query.attribute == nil else {
      throw InvalidQuery(
        detail: "\(ReportQuery.attributeName): not allowed, because base and head are already values of \(one.name)",
        parameter: ReportQuery.attributeName, isReadable: true)
    }
    // `region!=DE` includes every other region, so only X against not-X, or two values, have no data in common.
    guard one.isExcluding != other.isExcluding ? one.value == other.value : !one.isExcluding else {
      throw ImpossibleComparison.overlappingGroups(base: base, head: head)
    }
    guard one != other else { throw ImpossibleComparison.sameRelease(base) }
    return ComparedGroups(base: one, head: other)
  }

  /// Values of the attribute with data in the window, most used first.
  func values(of attribute: String, _ scope: Scope) throws -> [String] {
    let whole = scope.with(slice: Slice(environment: scope.slice.environment)).brokenDown(by: attribute)
    return try mostUsed(whole, .attribute).prefix(5).map { AttributeFilter(name: attribute, value: $0).text }
  }

  /// The members of a dimension by their payloads and sessions, most used first, without unnamed ones.
  package func mostUsed(_ scope: Scope, _ dimension: Dimension) throws -> [String] {
    var counts: [String: Int64] = [:]
    for usage in try store.usage(usageQuery(scope, dimension)) {
      counts[usage.member] = (counts[usage.member] ?? 0).saturatingAdd(usage.count)
    }
    return counts.filter { !Self.unnamed.contains($0.key) }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  /// The members of a dimension that are in use, sorted by name, without unnamed ones.
  package func members(_ scope: Scope, _ dimension: Dimension) throws -> [String] {
    try store.members(of: usageQuery(scope, dimension)).subtracting(Self.unnamed).sorted()
  }

  private static let unnamed: Set = ["", "(other)"]

  private func usageQuery(_ scope: Scope, _ dimension: Dimension) -> RowQuery {
    var query = query(scope, UsageRow.metrics, dimension, false)
    query.bins = .window
    return query
  }

  /// The group that a name means; nil for a release. A name that could be both is a release if that release has data.
  private func group(_ name: String, _ app: App, _ scope: Scope) throws -> AttributeFilter? {
    guard let filter = AttributeFilter(name),
      !scope.inventory.releases.contains(where: { $0.release.isCalled(name) })
    else { return nil }
    try check(filter, of: app)
    return filter
  }
}

extension HealthReader {
  /// The maximum number of compared labels per metric and in total.
  private static let mostLabels = (ofMetric: 60, inAll: 400)

  /// Compares the labels of labelled metrics, to find which screen or host got slower. Verdicts on labels are decided
  /// together, so that at most about 5 % of the labels called better or worse are false positives.
  func addLabels(to comparison: inout ReleaseComparison, _ scope: Scope) throws {
    func side(_ slice: Slice, _ window: Window) throws -> LabelledSeries {
      // Cells are read once for both classes and all devices. Only users can be in two classes, and users have no
      // labels.
      var whole = SeriesSet(isWhole: true)
      let classes = try set(
        scope.with(window: window, slice: slice), dimension: .deviceClass, byLabel: true, leavesOutTotals: true
      ) { row in
        whole.add(row)
        return true
      }
      return LabelledSeries(whole: whole, classes: classes)
    }
    let (base, head) = comparison.slices
    let kept = try KeptWindow { try Self.kept(comparison.window) { (try side(base, $0), try side(head, $0)) } }
    guard let (window, (ours, theirs)) = kept.whole else { return }
    let (labels, leftOut) = Self.mostUsed(ours.weights.merging(theirs.weights) { $0.saturatingAdd($1) })
    let drafts = labels.flatMap { label -> [ComparisonDraft] in
      let pair = ReleaseSeriesPair(base: ours.side(label), head: theirs.side(label))
      return pair.metrics.compactMap { metric in
        guard var draft = draft(metric, pair, in: comparison.environment) else { return nil }
        draft.result.label = label.name
        return draft
      }
    }
    comparison.labels = ComparisonSeverity.sorted(ComparisonJudge.settle(drafts))
    comparison.labelWindow = drafts.isEmpty ? nil : window
    comparison.leftOutLabels = leftOut
  }

  private static func mostUsed(_ weights: [LabelledSeries.Label: Int64]) -> ([LabelledSeries.Label], leftOut: Int) {
    let sorted = weights.sorted { ($1.value, $0.key.metric, $0.key.name) < ($0.value, $1.key.metric, $1.key.name) }
    var counts: [String: Int] = [:]
    let own = sorted.filter { label, _ in
      counts[label.metric, default: 0] += 1
      return counts[label.metric, default: 0] <= mostLabels.ofMetric
    }
    let most = own.prefix(mostLabels.inAll)
    return (most.map(\.key), weights.count - most.count)
  }
}

/// The series of one release by metric and label.
private struct LabelledSeries {
  struct Label: Hashable {
    let metric: String
    let name: String
  }

  private let whole: [Label: [Series]]
  private let classes: [Label: [Series]]

  init(whole: SeriesSet, classes: SeriesSet) {
    func byLabel(_ set: SeriesSet) -> [Label: [Series]] {
      Dictionary(grouping: set.series.lazy.filter { !$0.label.isEmpty }) {
        Label(metric: $0.metric.name, name: $0.label)
      }
    }
    self.whole = byLabel(whole)
    self.classes = byLabel(classes)
  }

  var weights: [Label: Int64] { whole.mapValues { $0.map(\.weight).max() ?? 0 } }

  func side(_ label: Label) -> ReleaseSeriesPair.Side {
    ReleaseSeriesPair.Side(whole: whole[label] ?? [], classes: classes[label] ?? [])
  }
}

import Core
import Statistics
import Storage

/// The series of both releases of a rollout.
struct RolloutAnalysis {
  /// The days of the rollout.
  let window: Window
  /// The series of the base, with its earlier days.
  let base: ReleaseSeriesPair.Side
  let head: ReleaseSeriesPair.Side
  let ages: (base: [SessionsByAge], head: [SessionsByAge])
  let measured: (base: [MeasurementsByAge], head: [MeasurementsByAge])
  /// Whether the series of the base begin with its first day, and another release was in use before it.
  let isBaseWhole: Bool
  /// How many times as much the head's users use the app as the base's, by day.
  var excess: [CalendarDay: Double] = [:]

  /// The vitals with data of both releases.
  func vitals(budgets: [Budget]) -> [RolloutVital] {
    let pair = ReleaseSeriesPair(base: base, head: head)
    let known = Dictionary(pair.metrics.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
    return budgets.compactMap { budget in
      guard let metric = known[budget.metric] else { return nil }
      let budget = budget.converted(to: metric.unit) ?? budget
      return subject(metric, Self.rank(budget), pair.series(of: metric)).map { vital(metric, budget, $0) }
    }
  }

  /// What is compared for one vital.
  struct Subject {
    let test: RolloutTest
    /// The base's bad events per use at the head's ages of the update; nil if they are not known.
    let sameAgeRate: Double?
    let base: Measure
    let head: Measure
    /// For a percentile, the value above which values count as bad.
    let threshold: Double?
    let counts: (head: RolloutCounts, base: RolloutCounts, earlier: RolloutCounts)
    let effect: Double
    /// For a percentile, the value of each device class above which its values count as bad.
    let limit: (String) -> Double?
    /// The percentile above which values are bad.
    let rank: Int
  }

  /// The subject of the metric with this name and its source, for a budget or the 90th percentile; nil without data of
  /// both releases.
  func subject(of name: String, _ budget: Budget?) -> (metric: ComparedMetric, source: Source, subject: Subject)? {
    let pair = ReleaseSeriesPair(base: base, head: head)
    guard let metric = pair.metrics.first(where: { $0.name == name }) else { return nil }
    let shared = pair.series(of: metric)
    guard let source = shared.source, let found = subject(metric, budget.map(Self.rank) ?? 90, shared) else {
      return nil
    }
    return (metric, source, found)
  }

  /// The subject of a metric with these series on the common days; nil for a metric that cannot be counted. `rank`: the
  /// percentile above which values of a distribution count as bad.
  func subject(_ metric: ComparedMetric, _ rank: Int, _ shared: SeriesPair) -> Subject? {
    guard let source = shared.source, metric.entry?.direction != .higher || metric.kind == .ratio,
      let ours = Measure.named(metric.name, in: shared.base.whole)?.measure,
      let theirs = Measure.named(metric.name, in: shared.head.whole)?.measure
    else { return nil }
    func own(_ all: [String: [Series]], in days: Window? = nil) -> [Series] {
      let names = Measure.storedNames(of: metric.name)
      let series = names.flatMap { all[$0] ?? [] }.filter { $0.source == source }
      return days.map { days in series.compactMap { $0.restricted(to: days) } } ?? series
    }
    let before = Window(days: Scope.defaultDays, endingOn: window.from - 1)
    let frozen = Measure.named(metric.name, in: own(base.whole, in: before))?.measure
    let all = Measure.named(metric.name, in: own(base.whole))?.measure ?? ours
    let threshold = Self.threshold(frozen, rank) ?? Self.threshold(ours, rank)
    let classes = (
      base: Dictionary(grouping: own(base.classes), by: \.member),
      head: Dictionary(grouping: own(head.classes), by: \.member)
    )
    // Sorted, because a sum of doubles depends on the order.
    let days = classes.base.sorted { $0.key < $1.key }.flatMap { _, series in
      series.first { $0.metric.name == metric.name }?.distributions ?? []
    }
    let likeness = Self.likeness(all: all, base: ours, head: theirs, days: days)
    // Each device class has a percentile of its own. With one for all, mostly the slowest phones would be counted.
    let thresholds = classes.base.mapValues { series in
      Self.threshold(Measure.named(metric.name, in: series.compactMap { $0.restricted(to: before) })?.measure, rank)
        ?? threshold
    }
    func limit(_ deviceClass: String) -> Double? { thresholds[deviceClass] ?? threshold }
    guard
      let earlier = RolloutCounts(metric.name, classes.base, likeness.all, threshold: limit),
      let sameDays = RolloutCounts(metric.name, classes.base, likeness.base, threshold: limit, days: window),
      let head = RolloutCounts(metric.name, classes.head, likeness.head, threshold: limit, days: window)
    else { return nil }
    let counts = (base: sameDays, head: head, earlier: earlier)
    let test = agedTest(metric.name, source, counts, likeness, limit, hasFirstSessions: threshold == nil)
    let shown =
      test == nil || threshold == nil
      ? nil : agedTest(metric.name, source, counts, likeness, limit, hasFirstSessions: true)
    let found = test ?? dayTest(counts)
    return Subject(
      test: found, sameAgeRate: (shown ?? found).sameAgeRate, base: ours, head: theirs,
      threshold: threshold, counts: (head, sameDays, earlier), effect: likeness.all.constant, limit: limit, rank: rank)
  }

  /// What the release will cost; nil without crashes of both releases.
  var forecast: RolloutCostForecast? {
    let pair = ReleaseSeriesPair(base: base, head: head)
    guard let metric = pair.metrics.first(where: { $0.name == "sessions.crash_free" }) else { return nil }
    let shared = pair.series(of: metric)
    guard let subject = subject(metric, 90, shared) else { return nil }
    var users: (daily: Double, crashed: Double)?
    if case .share(let ours)? = Measure.named("users.crash_free_daily", in: shared.base.whole)?.measure,
      case .share(let theirs)? = Measure.named("users.crash_free_daily", in: shared.head.whole)?.measure
    {
      users = ((ours.n + theirs.n) / Double(max(1, shared.days)), ours.badShare)
    }
    let later = shared.source.flatMap { settled($0, subject.effect, subject.counts.head) }
    return RolloutCostForecast(
      head: later?.head ?? subject.counts.head, base: later?.base ?? subject.counts.base,
      earlier: subject.counts.earlier, effect: subject.effect, users: users)
  }

  /// The crashes of both releases without each installation's first session after its update, which says nothing about
  /// later ones; nil if these sessions are few or unknown.
  private func settled(
    _ source: Source, _ effect: Double, _ all: RolloutCounts
  ) -> (head: RolloutCounts, base: RolloutCounts)? {
    func counts(_ rows: [SessionsByAge]) -> RolloutCounts? {
      RolloutCounts(
        rows.filter {
          $0.source == source && $0.age != .firstSession && window.from <= $0.day && $0.day <= window.to
        }, effect: effect, reported: reported(source))
    }
    guard let base = counts(ages.base), let head = counts(ages.head),
      head.total.use >= Self.fewestSettled * all.total.use
    else { return nil }
    return (head, base)
  }

  private static let fewestSettled = 0.3

  /// The part of a day's sessions whose crashes have been reported.
  private func reported(_ source: Source) -> (CalendarDay) -> Double {
    let arrived = head.whole.values.joined().first { $0.source == source }?.arrived
    return { arrived?.reported(.crash, on: $0).share ?? 1 }
  }

  private func vital(_ metric: ComparedMetric, _ budget: Budget, _ subject: Subject) -> RolloutVital {
    var vital = RolloutVital(
      name: metric.name, title: metric.entry?.title ?? metric.name, unit: metric.unit,
      statistic: budget.statistic.name, budget: budget.text)
    let statistic = subject.threshold == nil ? Budget.Statistic.value : .percentile(Self.rank(budget))
    vital.baseValue = subject.base.estimate(statistic, tail: HealthReader.shownTail)
    vital.headValue = subject.head.estimate(statistic, tail: HealthReader.shownTail)
    vital.threshold = subject.threshold
    vital.n = subject.head.n
    vital.events = Int(min(subject.counts.head.total.events, 9e15))
    vital.sameAgeBase = subject.sameAgeRate.flatMap { rate in
      switch subject.base {
      case .share(let share): share.isComplement ? 1 - rate : rate
      case .distribution: rate
      default:
        vital.baseValue.value.flatMap { value in
          let all = subject.counts.base.total
          return all.events > 0 ? value * rate * all.use / all.events : nil
        }
      }
    }
    read(subject.test, into: &vital)
    return vital
  }

  private func read(_ test: RolloutTest, into vital: inout RolloutVital) {
    let looks = test.onSameDays.map { (day: $0.day, sameDays: $0.evidence, sameAge: test.atSameAge(through: $0.day)) }
    vital.history = looks.map {
      RolloutLook(
        day: $0.day,
        evidence: RolloutEvidence(sameDays: $0.sameDays.against(atMost: 1), sameAge: $0.sameAge.against(atMost: 1)))
    }
    vital.evidence = vital.history.last?.evidence ?? RolloutEvidence()
    vital.matchedShare = test.matchedShare
    vital.useRatio = test.useRatio
    guard let last = looks.last else { return }
    let sameDays = last.sameDays.interval(alpha: RolloutReport.errorRate)
    let sameAge = last.sameAge.interval(alpha: RolloutReport.errorRate)
    vital.ratio = last.sameAge.isEmpty ? sameDays : sameDays.union(sameAge)
    if (vital.ratio.high ?? .infinity) >= RolloutVital.excluded {
      vital.wait = test.wait(sameDays: last.sameDays, sameAge: last.sameAge, begun: window.from)
    }
  }

  /// How events of one phone are alike: over all days of the base, on the days of the rollout, and on the head. The
  /// correlation is that of the base, which has more data. A head with too few payloads has the base's effect.
  private static func likeness(
    all: Measure, base: Measure, head: Measure, days: [Histogram]
  ) -> (all: RolloutCounts.Likeness, base: RolloutCounts.Likeness, head: RolloutCounts.Likeness) {
    switch (all, base, head) {
    case (.distribution(let all), .distribution, .distribution):
      let found = DesignEffect.correlation(within: days, oneValuePerCluster: all.weight == .deviceDay)
      let known = RolloutCounts.Likeness.correlation(found ?? unknownCorrelation)
      return (known, known, known)
    case (.share(let all), .share(let base), .share(let head)):
      let found = DesignEffect.forShares(
        base: base.clusterEffect, base.returning, head: head.clusterEffect, head.returning)
      let own = head.effect.isClustered ? found.head.value : max(found.head.value, found.base.value)
      return (.effect(all.effect.value), .effect(found.base.value), .effect(own))
    case (.rate(let all), .rate(let base), .rate(let head)):
      return (.effect(all.amountPerEvent), .effect(base.amountPerEvent), .effect(head.amountPerEvent))
    default: return (.effect(1), .effect(1), .effect(1))
    }
  }

  /// The correlation that is assumed before it can be estimated.
  private static let unknownCorrelation = 0.5

  /// The comparison by the age of each session or measurement; nil if too few ages of either release are known.
  ///
  /// - Parameters:
  ///   - limit: for a percentile, the value of each device class above which values are bad.
  ///   - hasFirstSessions: whether first sessions after an update count. A percentile is compared without them: nearly
  ///     all their values may lie beyond the common limit, so that they hardly tell whether a release is worse.
  private func agedTest(
    _ name: String, _ source: Source, _ counts: (base: RolloutCounts, head: RolloutCounts, earlier: RolloutCounts),
    _ likeness: (all: RolloutCounts.Likeness, base: RolloutCounts.Likeness, head: RolloutCounts.Likeness),
    _ limit: (String) -> Double?, hasFirstSessions: Bool
  ) -> RolloutTest? {
    var aged = (
      base: aged(name, source, ofHead: false, likeness.all, limit),
      head: aged(name, source, ofHead: true, likeness.head, limit)
    )
    guard !aged.head.rows.isEmpty, aged.head.use >= Self.mostlyAged * counts.head.total.use else { return nil }
    if !hasFirstSessions {
      aged.base.removeFirstSessions()
      aged.head.removeFirstSessions()
    }
    let test = RolloutTest(base: counts.base, head: counts.head, ages: aged, excess: excess)
    // A base whose clients state no ages yet is compared by days.
    return test.matchedShare >= RolloutVital.mostlyMatched ? test : nil
  }

  /// The comparison of days on which a like share of the use is by phones that had just updated.
  private func dayTest(_ counts: (base: RolloutCounts, head: RolloutCounts, earlier: RolloutCounts)) -> RolloutTest {
    func shares(_ counts: RolloutCounts, isHead: Bool) -> FreshInstallShares {
      FreshInstallShares(growthOf: counts.uses, isWholeLife: isHead || isBaseWhole)
        .replaced(by: FreshInstallShares(isHead ? ages.head : ages.base))
    }
    return RolloutTest(
      base: counts.base, head: counts.head, earlier: counts.earlier,
      fresh: (shares(counts.earlier, isHead: false), shares(counts.head, isHead: true)), excess: excess)
  }

  /// The counts of a release's sessions or measurements whose age of the update is known. Those of the base include its
  /// earlier days.
  private func aged(
    _ name: String, _ source: Source, ofHead isHead: Bool, _ likeness: RolloutCounts.Likeness,
    _ limit: (String) -> Double?
  ) -> AgedCounts {
    guard name != "sessions.crash_free" else {
      let rows = isHead ? ages.head : ages.base
      return AgedCounts(
        rows.filter { $0.source == source && isCounted($0.day, ofHead: isHead) }, likeness, reported: reported(source))
    }
    return AgedCounts(name, measurements(of: name, source, ofHead: isHead), likeness, threshold: limit)
  }

  private func measurements(of name: String, _ source: Source, ofHead isHead: Bool) -> [MeasurementsByAge] {
    let stored = Measure.storedNames(of: name).first ?? name
    return (isHead ? measured.head : measured.base).filter {
      $0.metric == stored && $0.source == source && isCounted($0.day, ofHead: isHead)
    }
  }

  private func isCounted(_ day: CalendarDay, ofHead isHead: Bool) -> Bool {
    !isHead || (window.from <= day && day <= window.to)
  }

  /// The share of a release's use with a known age from which the rest is left out.
  private static let mostlyAged = 0.8

  /// The share of each day's use by phones that had just installed the release: of its sessions if their installations
  /// are known, otherwise told from the growth of sessions or payloads.
  func freshShares(ofHead isHead: Bool) -> FreshInstallShares {
    let (side, rows) = isHead ? (head, ages.head) : (base, ages.base)
    let own = UsageRow.metrics.lazy.compactMap { side.whole[$0]?.max { $0.weight < $1.weight } }.first
    let uses = own.map { own in
      Dictionary(uniqueKeysWithValues: own.allDays.map { ($0, Double(own[$0]?.weight ?? 0)) })
    }
    return FreshInstallShares(growthOf: uses ?? [:], isWholeLife: isHead || isBaseWhole)
      .replaced(by: FreshInstallShares(rows))
  }

  /// The percentile above which values are counted: the budget's, otherwise the 90th.
  private static func rank(_ budget: Budget) -> Int {
    if case .percentile(let rank) = budget.statistic { rank } else { 90 }
  }

  private static func threshold(_ measure: Measure?, _ rank: Int) -> Double? {
    guard case .distribution(let distribution) = measure, distribution.histogram.count >= fewestValues else {
      return nil
    }
    return distribution.reader.quantile(Double(rank) / 100)?.value
  }

  static let fewestValues = 100
}

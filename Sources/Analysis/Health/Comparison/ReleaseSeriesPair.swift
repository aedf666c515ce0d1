import Core
import Foundation
import Statistics
import Storage

/// A metric by which two releases can be compared.
struct ComparedMetric: Hashable {
  let name: String
  let unit: MetricUnit
  let kind: Metric.Kind

  /// The metric's entry in the catalogue; nil for a custom one.
  var entry: Metric? { Catalogue.metric(named: name) }
}

/// The series of two releases. Finds the metrics by which they can be compared and, for each metric, the common source
/// and days.
struct ReleaseSeriesPair {
  /// The series of one release, from all sources, by metric name.
  struct Side {
    /// Series over all devices. A user with devices of two classes counts once.
    let whole: [String: [Series]]
    /// Series for each device class, by the metric's name.
    let classes: [String: [Series]]
    fileprivate let metrics: [MetricReference]

    /// `label`: the label to compare; empty for all labels together.
    init(whole: SeriesSet, classes: SeriesSet, label: String = "") {
      self.init(
        whole: whole.series.filter { $0.label == label }, classes: classes.series.filter { $0.label == label })
    }

    init(whole: [Series], classes: [Series]) {
      self.whole = Dictionary(grouping: whole) { $0.metric.name }
      self.classes = Dictionary(grouping: classes) { $0.metric.name }
      metrics = whole.map(\.metric)
    }
  }

  private let base: Side
  private let head: Side
  private let found: Set<ComparedMetric>

  init(base: Side, head: Side) {
    self.base = base
    self.head = head
    var found = Set((base.metrics + head.metrics).flatMap(ComparedMetric.measured))
    // All clients send sessions, but few send their hangs.
    let hangs = "sessions.hang_free"
    if [base, head].contains(where: { Measure.named(hangs, in: $0.whole["sessions"] ?? []) != nil }) {
      found.insert(ComparedMetric(name: hangs, unit: .ratio, kind: .ratio))
    }
    self.found = found
  }

  enum SideName { case base, head }

  /// The side without data; nil if both or neither have data.
  var sideWithoutData: SideName? {
    switch (base.metrics.isEmpty, head.metrics.isEmpty) {
    case (true, false): .base
    case (false, true): .head
    case (true, true), (false, false): nil
    }
  }

  /// The metrics in the catalogue's order, then custom metrics by name.
  var metrics: [ComparedMetric] {
    found.sorted { one, other in
      let (left, right) = (one.entry.map { Int($0.number) } ?? .max, other.entry.map { Int($0.number) } ?? .max)
      return (left, one.name, one.unit.rawValue) < (right, other.name, other.unit.rawValue)
    }
  }

  /// The series of a metric from one source, on the days on which both releases have data.
  func series(of metric: ComparedMetric) -> SeriesPair {
    let names = Measure.storedNames(of: metric.name)
    let main = names.first ?? metric.name
    guard let source = source(of: main, metric) else { return SeriesPair() }
    func own(_ all: [String: [Series]], _ name: String) -> [Series] {
      (all[name] ?? []).filter { $0.source == source && metric.measures($0) }
    }
    let shared = Set(own(base.whole, main).flatMap(\.allDays)).intersection(own(head.whole, main).flatMap(\.allDays))
    func read(_ all: [String: [Series]]) -> [Series] {
      let series = names.flatMap { own(all, $0) }
      return shared.isEmpty ? series : series.compactMap { $0.restricted(to: shared) }
    }
    func group(_ side: Side) -> SeriesGroup {
      let classes = Dictionary(grouping: read(side.classes), by: \.member)
      return SeriesGroup(whole: read(side.whole).map { Self.withPartition($0, classes) }, classes: classes)
    }
    return SeriesPair(source: source, days: shared.count, base: group(base), head: group(head))
  }

  /// The series with its values by device class, which are also used to estimate correlation in reports on one release.
  private static func withPartition(_ series: Series, _ classes: [String: [Series]]) -> Series {
    guard case .distribution = series.firstPart else { return series }
    let parts = classes.sorted { $0.key < $1.key }.compactMap { _, own in
      own.first { $0.metric == series.metric && $0.label == series.label }.map { LikenessSums(sum: $0.distributions) }
    }
    guard parts.count > 1 else { return series }
    var copy = series
    copy.partitions = [parts]
    return copy
  }

  /// The source with the most data among the sources of both releases; among all sources if they have none in common.
  private func source(of main: String, _ metric: ComparedMetric) -> Source? {
    func weights(_ series: [Series]?) -> [Source: Int64] {
      var weights: [Source: Int64] = [:]
      for series in series ?? [] where metric.measures(series) {
        weights[series.source] = (weights[series.source] ?? 0).addingSaturated(series.weight)
      }
      return weights
    }
    let (ours, theirs) = (weights(base.whole[main]), weights(head.whole[main]))
    let all = ours.merging(theirs) { $0.addingSaturated($1) }
    let shared = all.filter { ours[$0.key] != nil && theirs[$0.key] != nil }
    return (shared.isEmpty ? all : shared).max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
  }
}

extension ComparedMetric {
  /// The compared metrics that are computed from a stored metric.
  fileprivate static func measured(by metric: MetricReference) -> [ComparedMetric] {
    if metric == .known(Catalogue.sessions) {
      return ["sessions.crash_free", "users.crash_free_daily"].map {
        ComparedMetric(name: $0, unit: .ratio, kind: .ratio)
      }
    }
    // A total grows with the number of devices, so totals of two releases cannot be compared.
    guard !HealthReader.internalMetrics.contains(metric), metric.kind != .counter else { return [] }
    return [ComparedMetric(name: metric.name, unit: metric.unit, kind: metric.kind)]
  }

  /// Whether a series belongs to this metric. A custom metric may arrive in several units; each unit is a separate
  /// metric.
  fileprivate func measures(_ series: Series) -> Bool { series.metric.name != name || series.metric.unit == unit }
}

/// The series of one metric for two releases.
struct SeriesPair {
  var source: Source?
  /// The number of days on which both releases have data; 0 if only one has data.
  var days = 0
  var base = SeriesGroup(whole: [], classes: [:])
  var head = SeriesGroup(whole: [], classes: [:])
}

/// The series of one metric of one release from one source: over all devices, and for each device class.
struct SeriesGroup {
  let whole: [Series]
  let classes: [String: [Series]]
}

/// The comparison of one metric without its verdict, which depends on all other metrics.
struct ComparisonDraft {
  var result: MetricComparison
  /// The difference, head minus base: of logarithms for distributions, otherwise in the metric's unit.
  var difference: Difference?
  /// The p-value of the conditional test on a share, which must also be small for an alert; nil for other metrics.
  var conditionalPValue: Double?
  /// The p-value of user-days with a crash per session, which must also be small if the head is worse; nil for other
  /// metrics.
  var pValuePerSession: Double?
  /// The comparison at the same age of the update, if the head was just installed by many; nil otherwise.
  var age: AgeComparison?
  /// The difference within each device class with enough data.
  var classes: [StratifiedMeasures.ClassDifference] = []
  /// The p-value for equal differences in all device classes; nil if not tested.
  var heterogeneity: Double?
  /// Whether the worse release has enough bad events for a verdict: at least three.
  var hasEvents = true
  /// The release with too few values; nil if an interval can be computed.
  var shortage: Shortage?
  /// The range of differences that count as no difference, on the scale of `difference`.
  var margin: ClosedRange<Double> = 0...0

  init?(_ metric: ComparedMetric, _ pair: SeriesPair, budget: Budget?) {
    let base = Measure.named(metric.name, in: pair.base.whole)?.measure
    let head = Measure.named(metric.name, in: pair.head.whole)?.measure
    guard let kind = base ?? head, kind.n > 0 || (head?.n ?? 0) > 0 else { return nil }
    let statistic = Self.statistic(of: kind, budget)
    let isRelative = if case .distribution = kind { true } else { false }
    result = MetricComparison(
      name: metric.name, title: metric.entry?.title ?? metric.name, unit: metric.unit, kind: metric.kind,
      statistic: statistic.name, budget: budget?.text,
      direction: budget?.comparison.direction ?? metric.entry?.direction ?? .lower, source: pair.source,
      days: pair.days, base: Self.value(base, statistic), head: Self.value(head, statistic), isRelative: isRelative,
      margin: 0, requiresData: budget?.requiresData ?? false)
    result.margin = Self.margin(kind, result, budget)
    margin = isRelative ? Self.logMargin : -result.margin...result.margin
    result.rawDifference = raw
    result.mixShift = MixShift(pair)
    guard pair.days > 0, let base, let head else { return }
    shortage = Shortage(result, statistic)
    // With fewer than ten payloads or user-days, the correlation of events per device is unknown.
    guard base.basis == .clusters, head.basis == .clusters else { return }
    read(StratifiedMeasures(metric.name, pair, base, head), statistic)
  }

  /// The comparison of a metric that a budget requires but neither release has.
  init(lacking budget: Budget) {
    let entry = Catalogue.metric(named: budget.metric)
    result = MetricComparison(
      name: budget.metric, title: entry?.title ?? budget.metric, unit: budget.unit, kind: entry?.kind ?? .distribution,
      statistic: budget.statistic.name, budget: budget.text, direction: budget.comparison.direction, source: nil,
      days: 0,
      base: ComparedValue(), head: ComparedValue(), isRelative: true, margin: Self.relativeMargin, requiresData: true)
  }

  private mutating func read(_ measures: StratifiedMeasures, _ statistic: Budget.Statistic) {
    let found = measures.difference(statistic)
    difference = found?.whole
    classes = found?.classes ?? []
    heterogeneity = classes.count > 1 ? Heterogeneity.pValue(classes.map(\.difference)) : nil
    conditionalPValue = measures.conditionalPValue
    pValuePerSession = measures.pValuePerSession
    hasEvents = measures.events >= Judge.fewestBadEvents
    guard let difference else { return }
    func shown(_ value: Double) -> Double { result.isRelative ? expm1(value) : value }
    result.difference = ComparedDifference(
      value: shown(difference.value), low: shown(difference.low), high: shown(difference.high),
      pValue: difference.pValue, strata: difference.strata)
    result.classes = classes.map {
      ClassComparison(
        name: $0.name, value: shown($0.difference.value), low: shown($0.difference.low),
        high: shown($0.difference.high), pValue: $0.difference.pValue)
    }
  }

  /// The release with too few values for a confidence interval.
  enum Shortage {
    case base
    /// The head needs about this many more values; nil if the number is unrealistic.
    case head(Int?)

    init?(_ result: MetricComparison, _ statistic: Budget.Statistic) {
      guard case .percentile(let rank) = statistic, let base = result.base.nEffective,
        let head = result.head.nEffective, head > 0
      else { return nil }
      // Twice the number that the bounds require, because device classes differ in size.
      let least = 2 * Double(SampleSize.few(quantile: Double(rank) / 100, tail: ComparableEstimate.boundTail))
      if base < least {
        self = .base
      } else if head < least {
        let more = (least / head - 1) * Double(result.head.n)
        self = .head(more < 9e15 ? Int(more.rounded(.up)) : nil)
      } else {
        return nil
      }
    }
  }

  /// The statistic to compare: the budget's, otherwise the median.
  private static func statistic(of measure: Measure, _ budget: Budget?) -> Budget.Statistic {
    guard case .distribution = measure else { return .value }
    guard let statistic = budget?.statistic, statistic != .value else { return .percentile(50) }
    return statistic
  }

  private static func value(_ measure: Measure?, _ statistic: Budget.Statistic) -> ComparedValue {
    guard let measure else { return ComparedValue() }
    return ComparedValue(
      estimate: measure.estimate(statistic, tail: HealthReader.shownTail), n: measure.n,
      nEffective: measure.nEffective)
  }

  private var raw: Double? {
    guard let base = result.base.estimate.value, let head = result.head.estimate.value else { return nil }
    guard result.isRelative else { return head - base }
    return base > 0 ? head / base - 1 : nil
  }

  private static let relativeMargin = 0.1
  private static let logMargin = log1p(-relativeMargin)...log1p(relativeMargin)

  /// The largest difference that counts as no difference: 10 % of the base. For a share or rate with a budget it is
  /// half of what the budget allows, but at most half of the base's value.
  private static func margin(_ measure: Measure, _ result: MetricComparison, _ budget: Budget?) -> Double {
    let value = result.base.estimate.value ?? 0
    switch measure {
    case .distribution, .sum: return relativeMargin
    case .rate:
      guard let budget else { return relativeMargin * value }
      return min(budget.target, value > 0 ? value : .infinity) / 2
    case .share(let share):
      guard let budget else { return relativeMargin * value }
      let allowed = result.unit == .ratio && budget.comparison == .atLeast ? 1 - budget.target : budget.target
      let bad = share.isComplement ? 1 - value : value
      return min(allowed, bad > 0 ? bad : .infinity) / 2
    }
  }
}

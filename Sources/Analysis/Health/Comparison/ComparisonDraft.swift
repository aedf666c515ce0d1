import Core
import Foundation
import Statistics

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
    result.mixShift = DeviceClassShift(pair)
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

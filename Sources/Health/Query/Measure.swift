import Budgets
import Foundation
import Statistics
import Storage
import Telemetry

/// The statistics of a metric: its value, and confidence bounds at any level.
enum Measure {
  case distribution(DistributionMeasure)
  case share(ShareMeasure)
  case rate(RateMeasure)
  case sum(Double, payloads: Int)

  /// Whether launches of one device were treated as alike.
  var basis: Basis {
    switch self {
    case .distribution(let measure): measure.effect.isClustered ? .clusters : .events
    case .share(let measure): measure.effect.isClustered ? .clusters : .events
    case .rate(let measure): measure.sums.clusters >= 10 ? .clusters : .events
    case .sum: .events
    }
  }

  /// The number of values of a distribution, of events in a share's denominator, else of payloads.
  var n: Int {
    switch self {
    case .distribution(let measure): measure.histogram.count
    case .share(let measure): Int(min(measure.n, 9e18))
    case .rate(let measure): measure.sums.clusters
    case .sum(_, let payloads): payloads
    }
  }

  var nEffective: Double? {
    switch self {
    case .distribution(let measure): measure.histogram.count > 0 ? measure.effect.nEffective : nil
    case .share(let measure): measure.n > 0 ? measure.effect.nEffective : nil
    case .rate, .sum: nil
    }
  }

  /// A statistic with confidence bounds. `tail`: the probability outside each bound.
  func estimate(_ statistic: Budget.Statistic, tail: Double) -> Estimate {
    switch (self, statistic) {
    case (.distribution(let measure), .percentile(let rank)): measure.percentile(rank, tail: tail)
    case (.distribution(let measure), .mean): measure.mean(tail: tail)
    case (.distribution, .value): .unknown
    case (.share(let measure), _): measure.estimate(tail: tail)
    case (.rate(let measure), _): measure.estimate(tail: tail)
    case (.sum(let sum, _), _): Estimate(value: sum)
    }
  }
}

/// Percentiles and the mean of a histogram, with bounds from its effective sample size.
struct DistributionMeasure {
  let histogram: Histogram
  let reader: HistogramReader
  let phones: PhoneUse
  let effect: DesignEffect
  let weight: Metric.Weight

  /// Merges the days of a series. `weight`: whether each payload has one value; `stepsPerUnit`: the resolution of sums,
  /// from which the exact mean is computed.
  init(days: [Histogram], weight: Metric.Weight, stepsPerUnit: Double) {
    let total = Histogram(sum: days)
    phones = PhoneUse(days)
    histogram = total
    reader = HistogramReader(total, stepsPerUnit: stepsPerUnit)
    self.weight = weight
    effect = .forDistribution(total, phones: phones, oneValuePerCluster: weight == .deviceDay)
  }

  func percentile(_ rank: Int, tail: Double) -> Estimate {
    let p = Double(rank) / 100
    guard let quantile = reader.quantile(p) else { return .unknown }
    let bounds = Interval.quantile(p, of: reader, effect: effect, tail: tail)
    return Estimate(
      value: finite(quantile.value), low: finite(bounds.low), high: finite(bounds.high),
      isAtLeast: quantile.relativeError == .infinity)
  }

  func mean(tail: Double) -> Estimate {
    guard let mean = reader.mean else { return .unknown }
    // A value in the last bucket, which has no end, counts as the bucket's start.
    let isAtLeast = reader.hasInfiniteSpan
    guard effect.isClustered else { return Estimate(value: finite(mean), isAtLeast: isAtLeast) }
    let bounds = Interval.mean(reader, effect: effect, tail: tail)
    return Estimate(
      value: finite(mean), low: finite(bounds.low), high: isAtLeast ? nil : finite(bounds.high), isAtLeast: isAtLeast)
  }

  private func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
}

/// A share k of n. If `isComplement`, the share of the good events is reported but the bad ones are counted.
struct ShareMeasure {
  let bad: Double
  let n: Double
  /// The design effect within clusters, without that of users who crash on several days.
  let clusterEffect: DesignEffect
  let effect: DesignEffect
  /// The users who crashed on several days; nil if unknown or negligible.
  let returning: ReturningUsers?
  let isComplement: Bool
  /// The sums of numerator and denominator over payloads; empty for sessions and users.
  var sums = PairSum()
  var clusters: Int { sums.clusters }
  /// The relative standard error of `bad` and `n` if they were estimated.
  var countError = 0.0

  init(
    bad: Double, n: Double, effect: DesignEffect, isComplement: Bool, returning: ReturningUsers? = nil,
    countError: Double = 0
  ) {
    self.bad = max(0, min(bad, n))
    self.n = n
    self.returning = returning
    clusterEffect = effect
    self.effect = returning.map { effect.inflated(by: $0.inflation) } ?? effect
    self.isComplement = isComplement
    self.countError = countError
  }

  /// The number of bad events, with those of one user counted once if users are known.
  var badUsers: Double { min(bad, returning.map { Double($0.crashedUsers) } ?? .infinity) }

  /// Confidence bounds of the share of bad events. `tail`: the probability outside each bound.
  func badBounds(tail: Double) -> (low: Double?, high: Double?) {
    guard n > 0 else { return (nil, nil) }
    let bounds = Interval.ratio(k: bad, n: n, effect: effect, tail: tail)
    let slack = 1 + 2 * countError
    return (bounds.low.map { $0 / slack }, bounds.high.map { min(1, $0 * slack) })
  }

  func estimate(tail: Double) -> Estimate {
    guard n > 0 else { return .unknown }
    let share = bad / n
    let bounds = badBounds(tail: tail)
    if !isComplement { return Estimate(value: share, low: bounds.low, high: bounds.high) }
    return Estimate(value: 1 - share, low: bounds.high.map { 1 - $0 }, high: bounds.low.map { 1 - $0 })
  }
}

/// A ratio of two sums, such as hangs per hour.
struct RateMeasure {
  let sums: PairSum
  /// The factor that converts numerator ÷ denominator to the metric's unit.
  let factor: Double
  /// True if the numerator is a lower bound, because some of its values are.
  var isCensored = false
  /// The size of one event in the numerator: 1, or the milliseconds of a hang if none was seen.
  var event: Double { factor == Self.factor(for: .secondsPerHour) ? 1000 : 1 }

  func estimate(tail: Double) -> Estimate {
    guard sums.y > 0 else { return .unknown }
    // Two payloads that happen to be equal would give an interval of width 0.
    guard sums.clusters >= DesignEffect.fewestClusters else {
      return Estimate(value: Double(sums.x) / Double(sums.y) * factor, isAtLeast: isCensored)
    }
    var bounds = Interval.rate(sums, tail: tail)
    // A few events show little about how much payloads differ, and none show nothing. So the bounds are never narrower
    // than those of as many independent events, each of size `event`.
    let events = Interval.poisson(count: Double(sums.x) / event, tail: tail)
    let scale = event / Double(sums.y)
    bounds.low = bounds.low.map { min($0, events.low * scale) }
    bounds.high = sums.x == 0 ? events.high * scale : bounds.high.map { max($0, events.high * scale) }
    return Estimate(
      value: Double(sums.x) / Double(sums.y) * factor, low: bounds.low.map { $0 * factor },
      high: isCensored ? nil : bounds.high.map { $0 * factor }, isAtLeast: isCensored)
  }

  /// The factor that converts the quotient of a rate to `unit`. The numerator is in milliseconds or a count, the
  /// denominator in milliseconds of use or a number of launches.
  static func factor(for unit: MetricUnit) -> Double {
    switch unit {
    case .secondsPerHour: 3600
    case .hangsPerHour: 3_600_000
    case .perThousand: 1000
    default: 1
    }
  }
}

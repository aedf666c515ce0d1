import Budgets
import Foundation
import Statistics
import Storage
import Telemetry

/// A metric as numbers can be read from it: its value, and bounds at any confidence.
enum Measure {
  case distribution(DistributionMeasure)
  case share(ShareMeasure)
  case rate(RateMeasure)
  case sum(Double, payloads: Int)

  /// Whether launches of one phone were recognised as alike.
  var basis: Basis {
    switch self {
    case .distribution(let measure): measure.effect.isClustered ? .clusters : .events
    case .share(let measure): measure.effect.isClustered ? .clusters : .events
    case .rate(let measure): measure.sums.clusters >= 10 ? .clusters : .events
    case .sum: .events
    }
  }

  /// Values of a distribution, the denominator of a share, payloads of the rest.
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

  /// A statistic with bounds that leave `tail` outside on each side.
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

/// Percentiles and the mean of a histogram on its effective sample.
struct DistributionMeasure {
  let histogram: Histogram
  let reader: HistogramReader
  let phones: PhoneUse
  let effect: DesignEffect
  let weight: Metric.Weight

  /// Merges the days of a series. `weight` says whether each payload holds one value; the exact mean needs the resolution
  /// of sums.
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
    // What lies beyond the last bucket's start counts as its start.
    let isAtLeast = reader.hasInfiniteSpan
    guard effect.isClustered else { return Estimate(value: finite(mean), isAtLeast: isAtLeast) }
    let bounds = Interval.mean(reader, effect: effect, tail: tail)
    return Estimate(
      value: finite(mean), low: finite(bounds.low), high: isAtLeast ? nil : finite(bounds.high), isAtLeast: isAtLeast)
  }

  private func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
}

/// A share k of n; `isComplement` when the good ones are reported and the bad ones counted.
struct ShareMeasure {
  let bad: Double
  let n: Double
  /// As its clusters show it, users who come back left out.
  let clusterEffect: DesignEffect
  let effect: DesignEffect
  /// Who crashed on how many days, where that is known and matters.
  let returning: ReturningUsers?
  let isComplement: Bool
  /// Payloads behind it, and what each counted; empty for sessions and users.
  var sums = PairSum()
  var clusters: Int { sums.clusters }
  /// Relative standard error of the counts themselves, when they were estimated.
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

  /// Bad events, those of one user counted once where users are known.
  var badUsers: Double { min(bad, returning.map { Double($0.crashedUsers) } ?? .infinity) }

  /// Bounds of the bad share.
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

/// A sum over another sum, such as hangs per hour.
struct RateMeasure {
  let sums: PairSum
  /// What x ÷ y is multiplied with to be in the metric's unit.
  let factor: Double
  /// Some of x was counted from a lower end only.
  var isCensored = false
  /// What one event adds to x: 1, or the milliseconds of a hang when none was seen to tell.
  var event: Double { factor == Self.factor(for: .secondsPerHour) ? 1000 : 1 }

  func estimate(tail: Double) -> Estimate {
    guard sums.y > 0 else { return .unknown }
    // Two payloads that happen to be equal would make an interval without width.
    guard sums.clusters >= DesignEffect.fewestClusters else {
      return Estimate(value: Double(sums.x) / Double(sums.y) * factor, isAtLeast: isCensored)
    }
    var bounds = Interval.rate(sums, tail: tail)
    // A few events tell little of how much payloads differ, and none tells nothing: the bounds are never narrower than
    // those of so many events that have nothing to do with each other, an event counting as `event`.
    let events = Interval.poisson(count: Double(sums.x) / event, tail: tail)
    let scale = event / Double(sums.y)
    bounds.low = bounds.low.map { min($0, events.low * scale) }
    bounds.high = sums.x == 0 ? events.high * scale : bounds.high.map { max($0, events.high * scale) }
    return Estimate(
      value: Double(sums.x) / Double(sums.y) * factor, low: bounds.low.map { $0 * factor },
      high: isCensored ? nil : bounds.high.map { $0 * factor }, isAtLeast: isCensored)
  }

  /// The factor of a rate in `unit`: x is ms or a count, y is ms of use, or launches.
  static func factor(for unit: MetricUnit) -> Double {
    switch unit {
    case .secondsPerHour: 3600
    case .hangsPerHour: 3_600_000
    case .perThousand: 1000
    default: 1
    }
  }
}

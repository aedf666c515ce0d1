import Core
import Foundation
import Statistics
import Storage

/// The statistics of a metric: its value, and confidence bounds at any level.
enum Measure {
  case distribution(DistributionMeasure)
  case share(ShareMeasure)
  case rate(RateMeasure)
  case sum(Double, payloads: Int)

  /// Whether intervals account for correlated values of one device (`clusters`) or treat all values as independent
  /// (`events`).
  var basis: Basis {
    switch self {
    case .distribution(let measure): measure.effect.isClustered ? .clusters : .events
    case .share(let measure): measure.effect.isClustered ? .clusters : .events
    case .rate(let measure): measure.sums.clusters >= DesignEffect.fewestClusters ? .clusters : .events
    case .sum: .events
    }
  }

  /// The sample size: the number of values of a distribution, of events in a share's denominator, or else of payloads.
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
  let phones: DeviceClusterSize
  let effect: DesignEffect
  let weight: Metric.Weight

  /// Merges the days of a series. `weight` decides whether each payload has one value. `stepsPerUnit`: the resolution
  /// of sums, for the exact mean. `partitions`: the same values by release and by device class, as far as known.
  init(days: [Histogram], weight: Metric.Weight, stepsPerUnit: Double, partitions: [[IntraclassCorrelationSums]] = []) {
    let total = Histogram(sum: days)
    phones = DeviceClusterSize(days)
    histogram = total
    reader = HistogramReader(total, stepsPerUnit: stepsPerUnit)
    self.weight = weight
    effect = .forDistribution(
      total, phones: phones, oneValuePerCluster: weight == .deviceDay, partitions: partitions)
  }

  /// The percentile with its interval. Fewer than ten payloads give no interval, because the correlation of one phone's
  /// values is unknown.
  func percentile(_ rank: Int, tail: Double) -> Estimate {
    let p = Double(rank) / 100
    guard let quantile = reader.quantile(p) else { return .unknown }
    let isAtLeast = quantile.relativeError == .infinity
    guard effect.isClustered else { return Estimate(value: finite(quantile.value), isAtLeast: isAtLeast) }
    let bounds = Interval.quantile(p, of: reader, effect: effect, tail: tail)
    return Estimate(
      value: finite(quantile.value), low: finite(bounds.low), high: finite(bounds.high), isAtLeast: isAtLeast)
  }

  func mean(tail: Double) -> Estimate {
    guard let mean = reader.mean else { return .unknown }
    // The last bucket has no end; a value in it counts as the bucket's start.
    let isAtLeast = reader.hasInfiniteSpan
    guard effect.isClustered else { return Estimate(value: finite(mean), isAtLeast: isAtLeast) }
    let bounds = Interval.mean(reader, effect: effect, tail: tail)
    return Estimate(
      value: finite(mean), low: finite(bounds.low), high: isAtLeast ? nil : finite(bounds.high), isAtLeast: isAtLeast)
  }

  private func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
}

/// A share k of n. If `isComplement`, the reported value is the share of good events, but bad events are counted.
struct ShareMeasure {
  let bad: Double
  let n: Double
  /// The design effect of sessions within a user-day or payload, without the effect of users who crash on several days.
  let clusterEffect: DesignEffect
  let effect: DesignEffect
  /// The design effect for the upper bound of the bad share, if that bound must allow for more than `effect`.
  var highEffect: DesignEffect
  /// The users who crashed, by number of days with a crash; nil unless users are known and return.
  let returning: RepeatCrashes?
  /// The average number of days on which a user was active; 1 if users are unknown.
  let daysPerUser: Double
  let isComplement: Bool
  /// The sums of numerator and denominator over payloads; empty for sessions and users.
  var sums = RatioMoments()
  var clusters: Int { sums.clusters }
  /// The relative standard error of `bad` and `n` if they are estimates; otherwise 0.
  var countError = 0.0
  /// The part of `n` whose bad events have been reported.
  var reported = KnownShare.all

  init(
    bad: Double, n: Double, effect: DesignEffect, isComplement: Bool, returning: RepeatCrashes? = nil,
    daysPerUser: Double = 1, countError: Double = 0, reported: KnownShare = .all
  ) {
    self.bad = max(0, min(bad, n))
    self.n = n
    self.returning = returning
    self.daysPerUser = daysPerUser
    clusterEffect = effect
    self.effect = returning.map { effect.inflated(by: $0.inflation) } ?? effect
    highEffect = self.effect
    self.isComplement = isComplement
    self.countError = countError
    self.reported = reported
  }

  /// The number of events of which it is known whether they are bad.
  var known: Double { max(bad, n * reported.share) }
  /// The share of bad events; 0 without events.
  var badShare: Double { known > 0 ? bad / known : 0 }

  /// The number of bad events; if users are known, each user counts once.
  var badUsers: Double { min(bad, returning.map { Double($0.crashedUsers) } ?? .infinity) }

  /// Bounds of the bad share; nil for fewer than ten clusters, because their correlation is unknown.
  func badBounds(tail: Double) -> (low: Double?, high: Double?) {
    guard n > 0, effect.isClustered else { return (nil, nil) }
    let low = Interval.ratio(k: bad, n: known, effect: widened(effect), tail: tail).low
    let high = Interval.ratio(k: min(known, bad + unseen), n: known, effect: widened(highEffect), tail: tail).high
    let slack = 1 + 2 * countError
    return (low.map { $0 / slack }, high.map { min(1, $0 * slack) })
  }

  /// The effect with the uncertainty about how much has been reported.
  private func widened(_ effect: DesignEffect) -> DesignEffect {
    guard reported.share < 1 else { return effect }
    let independent = max(1, bad / effect.value)
    return DesignEffect(
      value: effect.value * (1 + independent * reported.variance), of: known, isClustered: effect.isClustered,
      freedom: effect.freedom)
  }

  /// An allowance for a crash-prone user who is missing from the data by chance: one who returns every day and has
  /// `proneness` times the average number of bad events, at most half of the user's events. See `docs/accuracy.md`.
  private var unseen: Double {
    guard let users = returning?.users, users > 0, daysPerUser > 1 else { return 0 }
    let perUser = min(Self.proneness * (bad + 1), n / 2) / Double(users)
    return perUser * (1 - 1 / daysPerUser)
  }

  private static let proneness = 60.0

  func estimate(tail: Double) -> Estimate {
    guard n > 0 else { return .unknown }
    let share = badShare
    let bounds = badBounds(tail: tail)
    if !isComplement { return Estimate(value: share, low: bounds.low, high: bounds.high) }
    return Estimate(value: 1 - share, low: bounds.high.map { 1 - $0 }, high: bounds.low.map { 1 - $0 })
  }
}

/// A ratio of two sums, such as hangs per hour.
struct RateMeasure {
  let sums: RatioMoments
  /// The sums of each day.
  let days: [RatioMoments]
  /// The factor that converts x ÷ y to the metric's unit.
  let factor: Double
  /// The size of single events.
  let events: RateSample.EventSize
  /// Whether x includes values with only a known lower bound, which makes the rate a lower bound.
  let isCensored: Bool
  private let sample: RateSample?

  /// Merges the sums of a window's days.
  ///
  /// - Parameter durations: the durations of single hangs, for a rate of hang time.
  init(days: [RatioMoments], unit: MetricUnit, durations: DistributionMeasure? = nil) {
    var sums = RatioMoments()
    for day in days { sums.merge(day) }
    self.sums = sums
    self.days = days
    factor = Self.factor(for: unit)
    events = unit == .secondsPerHour ? Self.size(durations) : .one
    isCensored = durations?.reader.hasInfiniteSpan ?? false
    sample = RateSample(days: days, events: events)
  }

  /// The amount of x, such as hang time, that carries the information of one independent event.
  var amountPerEvent: Double { sample?.amountPerEvent(of: Double(sums.x)) ?? events.typical }

  func estimate(tail: Double) -> Estimate {
    guard let sample else { return .unknown }
    let bounds = sample.bounds(tail: tail)
    return Estimate(
      value: sample.value * factor, low: bounds.map { $0.low * factor },
      high: isCensored ? nil : bounds.map { $0.high * factor }, isAtLeast: isCensored)
  }

  /// The length of hangs in milliseconds, from the distribution of their durations; one second if there were no hangs.
  private static func size(_ durations: DistributionMeasure?) -> RateSample.EventSize {
    let assumed = RateSample.EventSize(weighted: nil, assumed: 1000, events: .infinity)
    guard let reader = durations?.reader, let mean = reader.mean, mean > 0 else { return assumed }
    return RateSample.EventSize(
      weighted: mean + (reader.variance ?? 0) / mean, assumed: 1000, events: Double(reader.count))
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

extension [Series] {
  /// The series that a metric is computed from.
  func of(_ metric: String) -> [Series] {
    let stored = Measure.storedNames(of: metric)
    let all = filter { stored.contains($0.metric.name) }
    let unlabelled = all.filter { $0.label.isEmpty }
    // A slice of one label has only rows of that label.
    return unlabelled.isEmpty ? all : unlabelled
  }
}

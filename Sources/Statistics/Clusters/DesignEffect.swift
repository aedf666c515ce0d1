/// The factor by which correlated values carry less information than independent ones. Launches of one phone are
/// correlated, and one user can crash in a loop. The factor cannot be estimated from fewer than ten clusters; values
/// then count as independent.
public struct DesignEffect: Sendable, Equatable {
  /// The minimum number of clusters for an estimate.
  public static let fewestClusters = 10

  /// The factor by which clusters enlarge a variance, at least 1.
  public var value: Double
  /// The effective sample size: the number of values divided by `value`.
  public var nEffective: Double
  /// Whether there were enough clusters to estimate the design effect.
  public var isClustered: Bool
  /// The degrees of freedom of the estimated design effect.
  public var freedom = Double.infinity
  /// The correlation of values on one phone from which the effect was computed; nil if it was assumed or if the effect
  /// has another source.
  private(set) var correlation: Double?

  /// Creates an effect on `n` values. A `value` that is below 1 or not finite counts as 1.
  public init(value: Double, of n: Double, isClustered: Bool, freedom: Double = .infinity) {
    self.value = value.isFinite ? max(1, value) : 1
    nEffective = max(0, n) / self.value
    self.isClustered = isClustered
    self.freedom = max(1, freedom)
  }

  /// The effect for bounds at `tail`. An effect estimated from few clusters is larger by the square of the ratio of
  /// Student's quantiles. E. Korn and B. Graubard (1998), with their formula for the degrees of freedom.
  func value(atTail tail: Double) -> Double {
    let events = nEffective * value - 1
    guard freedom < events else { return value }
    let ratio =
      SpecialFunctions.studentTQuantile(1 - tail, freedom) / SpecialFunctions.studentTQuantile(1 - tail, events)
    return value * ratio * ratio
  }

  /// The design effect of independent values, which is 1.
  public static func none(of n: Double) -> DesignEffect { DesignEffect(value: 1, of: n, isClustered: false) }
}

extension DesignEffect {
  /// The design effect on a distribution: Kish's 1 + ρ(m - 1). ρ is the correlation of values within a payload, and m
  /// is the mean over all values of the number of values from the same phone.
  ///
  /// - Parameters:
  ///   - oneValuePerCluster: whether each payload has a single value and so shows no correlation; ρ is then taken as
  ///     0.5.
  ///   - partitions: the same values by release and by device class, as far as known, so that differences between
  ///     releases or classes do not count as correlation.
  public static func forDistribution(
    _ histogram: Histogram, phones: DeviceClusterSize, oneValuePerCluster: Bool,
    partitions: [[IntraclassCorrelationSums]] = []
  ) -> DesignEffect {
    let n = Double(histogram.count)
    let moments = histogram.moments
    guard n > 0, moments.clusters >= fewestClusters else { return .none(of: n) }
    let alone = oneValuePerCluster || moments.clusters >= histogram.count
    let correlation = alone ? 0.5 : IntraclassCorrelation(of: histogram, partitions: partitions).shrunken
    return DesignEffect(correlation: correlation, phones: phones, of: n)
  }

  /// The correlation of values on one phone within parts, such as the days of a device class; nil with too few payloads.
  public static func correlation(within parts: [Histogram], oneValuePerCluster: Bool) -> Double? {
    let clusters = parts.reduce(0) { $0 + $1.moments.clusters }
    guard clusters >= fewestClusters else { return nil }
    let alone = oneValuePerCluster || clusters >= parts.reduce(0) { $0 + $1.count }
    return alone ? 0.5 : IntraclassCorrelation(within: parts).shrunken
  }

  /// Computes the effect on `n` values with this correlation that are distributed over phones according to `phones`.
  ///
  /// - Parameter perPhone: a lower bound of the number of values per phone, if other data shows a higher one.
  public init(correlation: Double, phones: DeviceClusterSize, perPhone: Double = 1, of n: Double) {
    let size = max(phones.valuesPerPhone(of: n), perPhone)
    let even = max(phones.fewestPerPhone(of: n), perPhone)
    let least = Self.leastCorrelation(size: size, even: even) + Self.unseen / (phones.phones * phones.phones)
    self.init(correlation: min(1, max(correlation, least)), size: size, of: n)
  }

  /// A correction for few phones, which hide correlation: the values of a single phone all lie at its level, those of
  /// ten phones show nearly all of the correlation. This number divided by the square of the number of phones is added
  /// to the minimum correlation.
  private static let unseen = 2.5

  /// The minimum correlation: 0.005, or 0.03 for the values that a phone has beyond an even share.
  ///
  /// Launches of one phone are never quite independent. Payloads cannot show the correlation on the phones with the
  /// most launches, because all payloads of such a phone are at the same level. Chosen by simulation:
  /// `docs/accuracy.md` has the figures.
  private static func leastCorrelation(size: Double, even: Double) -> Double {
    size > 0 ? max(0.005, 0.03 * (size - even) / size) : 0.005
  }

  /// Computes the effect of clusters of `size` values each. The degrees of freedom are Satterthwaite's: the variance
  /// between phones has those of the number of phones, n/size, and the remaining variance those of all values.
  init(correlation: Double, size: Double, of n: Double) {
    let value = 1 + correlation * (size - 1)
    let between = correlation * size / value
    let within = 1 - between
    let spread = between * between / max(1, n / size - 1) + within * within / max(1, n - 1)
    self.init(value: value, of: n, isClustered: true, freedom: 1 / spread)
    self.correlation = correlation
  }

  /// The design effect on a share, from the sums over clusters: Σ(kᵢ − p̂nᵢ)² / (n·p̂·(1−p̂)), the variance of k
  /// relative to that of independent events.
  ///
  /// p̂ is the clusters' own share, so `k` may count good or bad events.
  public static func forRatio(k: Double, n: Double, moments: RatioMoments) -> DesignEffect {
    guard n > 0, moments.clusters >= fewestClusters, moments.y > 0 else { return .none(of: n) }
    let share = Double(moments.x) / Double(moments.y)
    let binomial = Double(moments.y) * share * (1 - share)
    let value = binomial > 0 ? moments.residual(share: share) / binomial : 1
    return DesignEffect(value: value, of: n, isClustered: true)
  }

  /// The same effect on `n` values.
  public func on(_ n: Double) -> DesignEffect {
    var copy = self
    copy.nEffective = max(0, n) / value
    return copy
  }

  /// The effect on a property of the values whose correlation is `change` of theirs. An effect without a known
  /// correlation stays as it is.
  func changingCorrelation(_ change: (Double) -> Double) -> DesignEffect {
    guard let correlation, correlation > 0 else { return self }
    var copy = self
    let changed = min(1, max(0, change(correlation)))
    copy.correlation = changed
    copy.value = 1 + (value - 1) * changed / correlation
    copy.nEffective = nEffective * value / copy.value
    return copy
  }

  /// A copy of the effect with a variance that is larger by `factor`.
  public func inflated(by factor: Double) -> DesignEffect {
    DesignEffect(value: value * factor, of: nEffective * value, isClustered: isClustered, freedom: freedom)
  }
}

extension DesignEffect {
  /// The design effects in the strata of one release, with one correlation for all. A single device class has too few
  /// values to estimate it, and over the whole release differences between classes would be mistaken for correlation.
  ///
  /// - Parameter phones: the distribution of each stratum's values over phones.
  /// - Parameter days: the strata's values by day, if days are compared with themselves.
  public static func forStrata(
    _ strata: [Histogram], phones: [DeviceClusterSize], oneValuePerCluster: Bool, days: [Histogram]? = nil
  ) -> [DesignEffect] {
    let count = strata.reduce(0.0) { $0 + Double($1.count) }
    let clusters = strata.reduce(0.0) { $0 + Double($1.moments.clusters) }
    guard clusters >= Double(fewestClusters) else { return strata.map { .none(of: Double($0.count)) } }
    let alone = oneValuePerCluster || clusters >= count
    let correlation = alone ? 0.5 : IntraclassCorrelation(within: days ?? strata).shrunken
    let perPhone = count / phones.reduce(0) { $0 + $1.phones }
    return zip(strata, phones).map { histogram, phones in
      let n = Double(histogram.count)
      guard n > 0 else { return .none(of: 0) }
      var effect = DesignEffect(correlation: correlation, phones: phones, perPhone: perPhone, of: n)
      if alone { effect.correlation = nil }
      return effect
    }
  }
}

extension DesignEffect {
  /// The design effects on the shares of two releases. The effect of users who crash repeatedly is estimated from both
  /// releases together, because their users are alike if the releases do not differ. A release that shows more of it on
  /// its own keeps its own estimate. Otherwise releases would seem different if a few crash-prone users happened to use
  /// only one of them.
  public static func forShares(
    base: DesignEffect, _ baseUsers: RepeatCrashes?, head: DesignEffect, _ headUsers: RepeatCrashes?
  ) -> (base: DesignEffect, head: DesignEffect) {
    let both = [baseUsers, headUsers].compactMap { $0 }.reduce(into: RepeatCrashes()) { $0.merge($1) }
    func effect(_ alone: DesignEffect, _ own: RepeatCrashes?) -> DesignEffect {
      alone.inflated(by: max(both.inflation, own?.inflation ?? 1))
    }
    return (effect(base, baseUsers), effect(head, headUsers))
  }
}

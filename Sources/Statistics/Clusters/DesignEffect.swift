/// How many times fewer independent values would say as much: launches of one phone are alike, and one user can crash
/// in a loop. Below ten clusters nothing can be said about it, and values are taken as independent.
public struct DesignEffect: Sendable, Equatable {
  /// Below so many clusters an interval rests on single events.
  public static let fewestClusters = 10

  /// At least 1.
  public var value: Double
  /// The number of values divided by `value`.
  public var nEffective: Double
  /// False when there were too few clusters to judge by.
  public var isClustered: Bool
  /// How many independent differences between clusters the value was estimated from.
  public var freedom = Double.infinity

  /// The effect on `n` values. A value below 1 or not finite counts as 1.
  public init(value: Double, of n: Double, isClustered: Bool, freedom: Double = .infinity) {
    self.value = value.isFinite ? max(1, value) : 1
    nEffective = max(0, n) / self.value
    self.isClustered = isClustered
    self.freedom = max(1, freedom)
  }

  /// The effect that bounds at `tail` have to allow for: larger where it was estimated from few clusters, by the square of
  /// the ratio of Student's quantiles. E. Korn and B. Graubard (1998), their formula for the degrees of freedom.
  func value(atTail tail: Double) -> Double {
    let events = nEffective * value - 1
    guard freedom < events else { return value }
    let ratio =
      SpecialFunctions.studentTQuantile(1 - tail, freedom) / SpecialFunctions.studentTQuantile(1 - tail, events)
    return value * ratio * ratio
  }

  /// Values taken as independent.
  public static func none(of n: Double) -> DesignEffect { DesignEffect(value: 1, of: n, isClustered: false) }
}

extension DesignEffect {
  /// Kish's 1 + ρ(m - 1): m is how many values of its own phone a value sees, itself included.
  ///
  /// - Parameter oneValuePerCluster: nothing can be seen about likeness within a payload of one value; ρ is taken as 0.5.
  /// - Parameter classes: the same values by release or class of devices, where that is known: how those differ is not how
  ///   alike the values of a phone are.
  public static func forDistribution(
    _ histogram: Histogram, phones: PhoneUse, oneValuePerCluster: Bool, classes: [Histogram]? = nil
  ) -> DesignEffect {
    let n = Double(histogram.count)
    let moments = histogram.moments
    guard n > 0, moments.clusters >= fewestClusters else { return .none(of: n) }
    let alone = oneValuePerCluster || moments.clusters >= histogram.count
    let correlation = alone ? 0.5 : IntraclassCorrelation(within: classes ?? [histogram]).shrunken
    return DesignEffect(correlation: correlation, phones: phones, of: n)
  }

  /// The effect on values that phones share out among themselves in this way.
  ///
  /// - Parameter perPhone: how many values a phone has at least, where more is known of it than these values tell.
  init(correlation: Double, phones: PhoneUse, perPhone: Double = 1, of n: Double) {
    let size = max(phones.valuesPerPhone(of: n), perPhone)
    let even = max(phones.fewestPerPhone(of: n), perPhone)
    let least = Self.leastCorrelation(size: size, even: even) + Self.unseen / (phones.phones * phones.phones)
    self.init(correlation: min(1, max(correlation, least)), size: size, of: n)
  }

  /// Likeness that a few phones cannot show, divided by the square of their number: the payloads of a single one all lie at its
  /// level, those of ten show nearly all of it.
  private static let unseen = 2.5

  /// The likeness that is taken for granted: 0.005, and 0.03 for the values that a phone has beyond an even share.
  ///
  /// Launches of one phone are never quite independent, and payloads cannot show how alike those of a phone are that
  /// launches most: all of its payloads lie at the same level. Chosen by simulation: `docs/statistics.md` has the figures.
  private static func leastCorrelation(size: Double, even: Double) -> Double {
    size > 0 ? max(0.005, 0.03 * (size - even) / size) : 0.005
  }

  /// Satterthwaite's degrees of freedom: what phones add to the variance rests on n/m of them, the rest on all values.
  init(correlation: Double, size: Double, of n: Double) {
    let value = 1 + correlation * (size - 1)
    let between = correlation * size / value
    let within = 1 - between
    let spread = between * between / max(1, n / size - 1) + within * within / max(1, n - 1)
    self.init(value: value, of: n, isClustered: true, freedom: 1 / spread)
  }

  /// Σ(kᵢ − p̂nᵢ)² / (n·p̂·(1−p̂)) over the clusters: how much more k varies than independent events would.
  ///
  /// p̂ is that of the clusters, so it does not matter whether `k` counts the good or the bad events.
  public static func forRatio(k: Double, n: Double, moments: PairSum) -> DesignEffect {
    guard n > 0, moments.clusters >= fewestClusters, moments.y > 0 else { return .none(of: n) }
    let share = Double(moments.x) / Double(moments.y)
    let binomial = Double(moments.y) * share * (1 - share)
    let value = binomial > 0 ? moments.residual(share: share) / binomial : 1
    return DesignEffect(value: value, of: n, isClustered: true)
  }

  /// The effect on the same values if they vary so many times more.
  public func inflated(by factor: Double) -> DesignEffect {
    DesignEffect(value: value * factor, of: nEffective * value, isClustered: isClustered, freedom: freedom)
  }
}

extension DesignEffect {
  /// The effect in each stratum of one release, with one likeness for all: a class of devices alone would show it badly,
  /// and over the whole release the difference between classes would be taken for likeness.
  ///
  /// - Parameter phones: how the values of each stratum spread over phones.
  /// - Parameter days: the strata's values by day, where days are compared with themselves.
  public static func forStrata(
    _ strata: [Histogram], phones: [PhoneUse], oneValuePerCluster: Bool, days: [Histogram]? = nil
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
      return DesignEffect(correlation: correlation, phones: phones, perPhone: perPhone, of: n)
    }
  }
}

extension DesignEffect {
  /// The effects on the shares of two releases. If the releases do not differ, their users are alike: how much users who
  /// crash again add is read from both together, unless one shows more of it. Whether a handful of crash-prone users
  /// happened to get the one or the other release would otherwise make them differ.
  public static func forShares(
    base: DesignEffect, _ baseUsers: ReturningUsers?, head: DesignEffect, _ headUsers: ReturningUsers?
  ) -> (base: DesignEffect, head: DesignEffect) {
    let both = [baseUsers, headUsers].compactMap { $0 }.reduce(into: ReturningUsers()) { $0.merge($1) }
    func effect(_ alone: DesignEffect, _ own: ReturningUsers?) -> DesignEffect {
      alone.inflated(by: max(both.inflation, own?.inflation ?? 1))
    }
    return (effect(base, baseUsers), effect(head, headUsers))
  }
}

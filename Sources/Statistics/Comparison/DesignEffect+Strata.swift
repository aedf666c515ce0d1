extension DesignEffect {
  /// The effect in each stratum of one release, with one likeness for all: a class of devices alone would show it badly,
  /// and over the whole release the difference between classes would be taken for likeness.
  ///
  /// - Parameter phones: how the values of each stratum spread over phones.
  public static func forStrata(
    _ strata: [Histogram], phones: [PhoneUse], oneValuePerCluster: Bool
  ) -> [DesignEffect] {
    let count = strata.reduce(0.0) { $0 + Double($1.count) }
    let clusters = strata.reduce(0.0) { $0 + Double($1.moments.clusters) }
    guard clusters >= Double(fewestClusters) else { return strata.map { .none(of: Double($0.count)) } }
    let alone = oneValuePerCluster || clusters >= count
    let correlation = alone ? 0.5 : IntraclassCorrelation(within: strata).shrunken
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

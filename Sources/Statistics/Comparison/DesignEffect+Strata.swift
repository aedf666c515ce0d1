extension DesignEffect {
  /// The effect in each stratum of one release, with one likeness for all: within a class of devices an F test alone would
  /// often miss it, and over the whole release it would take the difference between classes for likeness.
  ///
  /// - Parameter mostClustersOnOneDay: of each stratum.
  public static func forStrata(
    _ strata: [Histogram], mostClustersOnOneDay: [Int], oneValuePerCluster: Bool
  ) -> [DesignEffect] {
    let count = strata.reduce(0.0) { $0 + Double($1.count) }
    let clusters = strata.reduce(0.0) { $0 + Double($1.moments.clusters) }
    guard clusters >= Double(fewestClusters) else { return strata.map { .none(of: Double($0.count)) } }
    let alone = oneValuePerCluster || clusters >= count
    let correlation = alone ? 0.5 : withinStrata(strata)
    let perPhone = count / Double(max(1, mostClustersOnOneDay.reduce(0, +)))
    return zip(strata, mostClustersOnOneDay).map { histogram, most in
      let n = Double(histogram.count)
      guard n > 0 else { return .none(of: 0) }
      let size = max(Double(histogram.moments.squares) / n, n / Double(max(1, most)), perPhone)
      return DesignEffect(value: 1 + correlation * (size - 1), of: n, isClustered: true)
    }
  }

  /// The analysis of variance of `intraclassCorrelation`, its sums added over strata.
  private static func withinStrata(_ strata: [Histogram]) -> Double {
    var (betweenSquares, withinSquares, betweenFreedom, withinFreedom, sizes) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for histogram in strata where histogram.count > 0 && histogram.moments.clusters > 1 {
      let n = Double(histogram.count)
      let clusters = Double(histogram.moments.clusters)
      let sums = histogram.sumsOfSquares
      betweenSquares += sums.between
      withinSquares += max(0, sums.total - sums.between)
      betweenFreedom += clusters - 1
      withinFreedom += n - clusters
      sizes += n - Double(histogram.moments.squares) / n
    }
    guard betweenFreedom > 0, withinFreedom > 0 else { return 0 }
    let between = betweenSquares / betweenFreedom
    let within = withinSquares / withinFreedom
    guard between > within else { return 0 }
    if within > 0,
      SpecialFunctions.fDistributionUpperTail(between / within, betweenFreedom, withinFreedom) > 0.05
    {
      return 0
    }
    return max(0, min(1, (between - within) / (between + (sizes / betweenFreedom - 1) * within)))
  }
}

extension DesignEffect {
  /// How many times more the crashed user-days vary because the same users come back with a crash on other days: the mean
  /// of k as a crash sees it, for k crashed days a user that lie as the geometric distribution does, 2·days/users − 1.
  ///
  /// Clusters of a day cannot see it; without it shares of a fleet with a few crash-prone users differed by chance in 12 %
  /// of comparisons at 5 %.
  public static func ofReturning(crashedUserDays: Int, crashedUsers: Int) -> Double {
    guard crashedUsers > 0 else { return 1 }
    return max(1, 2 * Double(crashedUserDays) / Double(crashedUsers) - 1)
  }
}

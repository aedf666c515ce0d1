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

  /// The effect on `n` values. A value below 1 or not finite counts as 1.
  public init(value: Double, of n: Double, isClustered: Bool) {
    self.value = value.isFinite ? max(1, value) : 1
    nEffective = max(0, n) / self.value
    self.isClustered = isClustered
  }

  /// Values taken as independent.
  public static func none(of n: Double) -> DesignEffect { DesignEffect(value: 1, of: n, isClustered: false) }
}

extension DesignEffect {
  /// Kish's 1 + ρ(m - 1), with payloads as clusters: m is the larger of the mean payload as a value sees it (Q/N) and the
  /// values per phone, for which the most payloads on one day stand in.
  ///
  /// - Parameter oneValuePerCluster: nothing can be seen about likeness within a payload of one value; ρ is taken as 0.5.
  public static func forDistribution(
    _ histogram: Histogram, mostClustersOnOneDay: Int, oneValuePerCluster: Bool
  ) -> DesignEffect {
    let n = Double(histogram.count)
    let moments = histogram.moments
    guard n > 0, moments.clusters >= fewestClusters else { return .none(of: n) }
    let alone = oneValuePerCluster || moments.clusters >= histogram.count
    let correlation = alone ? 0.5 : IntraclassCorrelation(of: histogram).shrunken
    let size = max(Double(moments.squares) / n, n / Double(max(1, mostClustersOnOneDay)))
    return DesignEffect(value: 1 + correlation * (size - 1), of: n, isClustered: true)
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
}

extension Interval {
  /// Bounds on a ratio of sums Σx/Σy, such as hang time per foreground time, from how much clusters differ: linearised
  /// variance and Student's t with K - 1 degrees of freedom. Nil for fewer than two clusters or no y.
  ///
  /// W. Cochran, "Sampling Techniques", 2.11. Where nothing at all was seen in fewer than ten clusters, how they differ is
  /// unknown and `high` is nil.
  public static func rate(_ sums: PairSum, tail: Double) -> (low: Double?, high: Double?) {
    guard sums.clusters >= 2, sums.y > 0, isTail(tail) else { return (nil, nil) }
    let clusters = Double(sums.clusters)
    let y = Double(sums.y)
    let rate = Double(sums.x) / y
    let variance = sums.residual(share: rate) * clusters / (clusters - 1)
    let reach = SpecialFunctions.studentTQuantile(1 - tail, clusters - 1) * variance.squareRoot() / y
    let isBlind = sums.xx == 0 && sums.clusters < DesignEffect.fewestClusters
    return (max(0, rate - reach), isBlind ? nil : rate + reach)
  }
}

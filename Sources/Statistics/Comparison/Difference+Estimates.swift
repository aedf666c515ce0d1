extension Difference {
  /// The difference within strata, averaged with their weights. Nil without a stratum.
  ///
  /// Student's t with Satterthwaite's degrees of freedom (1946), since the variances are estimated too. Differences that do
  /// not vary at all say nothing, unless they are zero.
  public static func of(_ strata: [Stratum<ComparableEstimate>], tail: Double = 0.025) -> Difference? {
    let total = strata.reduce(0) { $0 + $1.weight }
    guard total > 0, Interval.isTail(tail) else { return nil }
    var (value, base, head, spread) = (0.0, 0.0, 0.0, 0.0)
    for stratum in strata {
      let weight = stratum.weight / total
      value += weight * (stratum.head.value - stratum.base.value)
      for (estimate, isHead) in [(stratum.base, false), (stratum.head, true)] {
        let variance = weight * weight * estimate.variance
        if isHead { head += variance } else { base += variance }
        spread += variance * variance / max(1, estimate.freedom)
      }
    }
    let variance = base + head
    guard variance > 0 || value == 0, value.isFinite, variance.isFinite else { return nil }
    let freedom = spread > 0 ? max(1, variance * variance / spread) : 1
    let error = variance.squareRoot()
    let reach = variance > 0 ? SpecialFunctions.studentTQuantile(1 - tail, freedom) * error : 0
    return Difference(
      value: value, low: value - reach, high: value + reach,
      pValue: variance > 0 ? SpecialFunctions.studentTTwoSided(value / error, freedom) : 1, baseVariance: base,
      headVariance: head, strata: strata.count)
  }
}

extension SpecialFunctions {
  /// P(|T| ≥ |t|) of Student's distribution.
  static func studentTTwoSided(_ t: Double, _ freedom: Double) -> Double {
    fDistributionUpperTail(t * t, 1, freedom)
  }
}

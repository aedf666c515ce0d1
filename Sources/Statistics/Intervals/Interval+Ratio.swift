extension Interval {
  /// Clopper–Pearson bounds on the share k of n, on the effective sample: k/deff of n/deff.
  ///
  /// C. Clopper and E. Pearson (1934); E. Korn and B. Graubard, "Confidence intervals for proportions with small expected
  /// number of positive counts estimated from survey data" (1998). Both nil when there is nothing to divide.
  public static func ratio(
    k: Double, n: Double, effect: DesignEffect, tail: Double
  ) -> (low: Double?, high: Double?) {
    guard n > 0, k >= 0, k <= n, n < .infinity, isTail(tail) else { return (nil, nil) }
    let good = k / effect.value
    let bad = (n - k) / effect.value
    let low = good > 0 ? SpecialFunctions.betaQuantile(tail, good, bad + 1) : 0
    let high = bad > 0 ? SpecialFunctions.betaQuantile(1 - tail, good + 1, bad) : 1
    return (low, high)
  }
}

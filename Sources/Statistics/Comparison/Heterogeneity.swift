/// A test of whether strata differ by more than chance: Cochran's Q of their differences.
///
/// W. Cochran, "The combination of estimates from different experiments" (1954).
public enum Heterogeneity {
  /// The p-value for equal differences in all strata; 1 with fewer than two strata.
  public static func pValue(_ differences: [Difference]) -> Double {
    let known = differences.compactMap { difference -> (value: Double, weight: Double)? in
      let variance = difference.baseVariance + difference.headVariance
      return variance > 0 && variance < .infinity ? (difference.value, 1 / variance) : nil
    }
    let total = known.reduce(0) { $0 + $1.weight }
    guard known.count > 1, total > 0 else { return 1 }
    let mean = known.reduce(0) { $0 + $1.weight * $1.value } / total
    let q = known.reduce(0) { $0 + $1.weight * ($1.value - mean) * ($1.value - mean) }
    let freedom = Double(known.count - 1)
    // χ² is F with infinitely many degrees of freedom in the denominator.
    return SpecialFunctions.fDistributionUpperTail(q / freedom, freedom, 1e9)
  }
}

extension ShareCount {
  /// Two-sided p-value of events as rare in `head` as in `base`, given how many there are in both together: that many of
  /// them or more on the side that has too many, a binomial tail, doubled. It holds for any counts, where a normal
  /// approximation calls four events instead of one certain.
  ///
  /// J. Przyborowski and H. Wilenski, "Homogeneity of results in testing samples from Poisson series" (1940), in the Beta
  /// form that takes real counts. 1 where nothing was counted.
  public static func conditionalPValue(base: ShareCount, head: ShareCount) -> Double {
    guard base.n > 0, head.n > 0, base.k + head.k > 0 else { return 1 }
    let share = head.n / (base.n + head.n)
    let isMore = head.share > base.share
    let (many, few, p) = isMore ? (head.k, base.k, share) : (base.k, head.k, 1 - share)
    guard many > 0 else { return 1 }
    return min(1, 2 * SpecialFunctions.regularizedIncompleteBeta(p, many, few + 1))
  }
}

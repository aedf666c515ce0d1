extension Interval {
  /// Bounds on the mean of a Poisson variable of which `count` was seen; any real number of at least 0.
  ///
  /// F. Garwood, "Fiducial limits for the Poisson distribution" (1936), as the limit of Clopper and Pearson's bounds for so
  /// many in a billion.
  public static func poisson(count: Double, tail: Double) -> (low: Double, high: Double) {
    guard count >= 0, count < many / 1000, isTail(tail) else { return (count, count) }
    let low = count > 0 ? many * SpecialFunctions.betaQuantile(tail, count, many - count + 1) : 0
    return (low, many * SpecialFunctions.betaQuantile(1 - tail, count + 1, many - count))
  }

  private static let many = 1e9
}

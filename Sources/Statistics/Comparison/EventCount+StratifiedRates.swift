#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Comparison of rates within strata.
extension EventCount {
  /// The one-sided p-value for more events in the head than in the base, given the use of both in each stratum: the
  /// score test for stratified rates. It is valid for a single look.
  ///
  /// N. Mantel, W. Haenszel (1959); for rates: K. Rothman, S. Greenland, *Modern Epidemiology*, chapter 15.
  public static func pValue(_ strata: [(head: EventCount, base: EventCount)]) -> Double {
    var (difference, variance) = (0.0, 0.0)
    for (head, base) in strata where head.use > 0 && base.use > 0 {
      let (events, use) = (head.events + base.events, head.use + base.use)
      difference += head.events - events * head.use / use
      variance += events * head.use * base.use / (use * use)
    }
    return variance > 0 ? erfc(difference / (2 * variance).squareRoot()) / 2 : 1
  }

  /// The ratio of the head's rate to the base's within strata, with the variance of its logarithm; nil without events.
  /// Half an event is added on both sides, so that few events give a wide interval.
  ///
  /// The ratio of Mantel and Haenszel for rates; its variance: S. Greenland, J. Robins, "Estimation of a common effect
  /// parameter from sparse follow-up data" (1985).
  public static func ratio(_ strata: [(head: EventCount, base: EventCount)]) -> (value: Double, variance: Double)? {
    var (ours, theirs, spread) = (0.0, 0.0, 0.0)
    for (head, base) in strata {
      let use = head.use + base.use
      guard use > 0 else { continue }
      ours += head.events * base.use / use
      theirs += base.events * head.use / use
      spread += (head.events + base.events) * head.use * base.use / (use * use)
    }
    guard ours + theirs > 0 else { return nil }
    let (x, y) = (ours + 0.5, theirs + 0.5)
    return (x / y, (spread + 0.5) / (x * y))
  }
}

import Core

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The number of events needed for a conclusion.
public enum SampleSize {
  /// The number of events below which even zero bad events would not prove that the bad share is at most `target`: 598
  /// for a share of 0.005 at a tail of 0.05. `Int.max` if no bad event is allowed.
  public static func few(target: Double, tail: Double) -> Int {
    guard target > 0, Interval.isTail(tail) else { return .max }
    if target >= 1 { return 1 }
    let n = (log(tail) / log1p(-target)).rounded(.up)
    return Int(saturating: n)
  }

  /// The number of independent values below which a quantile does not have both bounds: 36 for p90 at a tail of 0.025.
  public static func few(quantile p: Double, tail: Double) -> Int {
    guard p > 0, p < 1, Interval.isTail(tail) else { return .max }
    return Int(saturating: (log(tail) / log(max(p, 1 - p))).rounded(.up))
  }

  /// The approximate total number of events, at the observed bad share, until a bound separates it from the allowed
  /// share. It includes at least three bad events if the share is worse than allowed. Nil if the two are equal or too
  /// close.
  public static func needed(badShare observed: Double, allowed: Double, deff: Double, tail: Double) -> Int? {
    guard observed >= 0, observed <= 1, allowed >= 0, allowed <= 1, observed != allowed, Interval.isTail(tail) else {
      return nil
    }
    let deff = deff.isFinite ? max(1, deff) : 1
    // Whether Clopper and Pearson's bound is beyond the allowed share. Computing it from the distribution takes a tenth
    // of the time of its quantile.
    func separates(_ n: Double) -> Bool {
      let (bad, good) = (observed * n / deff, (1 - observed) * n / deff)
      let isBetter = observed < allowed
      let below = SpecialFunctions.incompleteBeta(
        x: allowed, complement: 1 - allowed, isBetter ? bad + 1 : bad, isBetter ? good : good + 1)
      return isBetter ? below >= 1 - tail : below < tail && observed * n >= 3
    }
    var high = 1.0
    while !separates(high) {
      high *= 2
      if high > 1e12 { return nil }
    }
    var low = (high / 2).rounded(.down)
    while high - low > 1 {
      let middle = ((low + high) / 2).rounded(.down)
      if separates(middle) { high = middle } else { low = middle }
    }
    return Int(saturating: high)
  }
}

extension SampleSize {
  /// The factor by which the head's events must grow until the interval of a difference is conclusive, if the
  /// difference stays the same. Conclusive means that the interval is within `margin` of zero or excludes zero. Nil if
  /// the base's variance alone is too large for either.
  ///
  /// - Parameter reach: half the width of the interval, in standard errors.
  public static func growth(of difference: Difference, margin: Double, reach: Double) -> Double? {
    let size = abs(difference.value)
    let wanted = max(size, margin - size) / reach
    let left = wanted * wanted - difference.baseVariance
    guard left > 0, difference.headVariance > 0 else { return nil }
    return max(1, difference.headVariance / left)
  }
}

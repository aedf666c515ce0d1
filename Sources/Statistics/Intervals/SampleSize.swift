#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How many events it takes until something can be said.
public enum SampleSize {
  /// The number of events below which even none of them bad would not prove that at most `target` of them are: 598 for
  /// a bad share of 0.005 at a tail of 0.05. `Int.max` when no bad event is allowed.
  public static func few(target: Double, tail: Double) -> Int {
    guard target > 0, Interval.isTail(tail) else { return .max }
    if target >= 1 { return 1 }
    let n = (log(tail) / log1p(-target)).rounded(.up)
    return n < 9e18 ? Int(n) : .max
  }

  /// About how many events in total, at the bad share seen so far, until a bound separates it from the share allowed: at
  /// least three bad events where it is worse. Nil when the two are equal or too close for any number.
  public static func needed(badShare observed: Double, allowed: Double, deff: Double, tail: Double) -> Int? {
    guard observed >= 0, observed <= 1, allowed >= 0, allowed <= 1, observed != allowed, Interval.isTail(tail) else {
      return nil
    }
    let effect = DesignEffect(value: deff, of: 1, isClustered: true)
    func separates(_ n: Double) -> Bool {
      let bounds = Interval.ratio(k: observed * n, n: n, effect: effect, tail: tail)
      if observed < allowed { return (bounds.high ?? 1) <= allowed }
      return (bounds.low ?? 0) > allowed && observed * n >= 3
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
    return Int(high)
  }
}

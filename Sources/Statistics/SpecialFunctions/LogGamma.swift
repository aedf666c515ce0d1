#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The special functions behind the intervals, in double precision: relative error about 1e-12 except where noted.
public enum SpecialFunctions {
  /// ln Γ(x) for x > 0; NaN otherwise. Absolute error about 1e-14 below 20.
  ///
  /// Stirling's series (NIST DLMF 5.11.1), reached by the recurrence Γ(x+1) = xΓ(x).
  public static func logGamma(_ x: Double) -> Double {
    guard x > 0 else { return .nan }
    var shifted = x
    var product = 1.0
    while shifted < 16 {
      product *= shifted
      shifted += 1
    }
    let stirling = (shifted - 0.5) * log(shifted) - shifted + halfLogTwoPi + stirlingTail(shifted)
    return stirling - log(product)
  }

  static let halfLogTwoPi = 0.918_938_533_204_672_741_78

  /// ln Γ(x) less Stirling's leading terms, for x >= 16.
  private static func stirlingTail(_ x: Double) -> Double {
    let s = 1 / (x * x)
    let tail = 1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * (691.0 / 360_360)))
    return (1.0 / 12 - s * (1.0 / 360 - s * tail)) / x
  }

  /// ln(x!) less Stirling's approximation, for x > 0: what is left when the large terms of a binomial cancel.
  static func stirlingError(_ x: Double) -> Double {
    if x >= 16 { return stirlingTail(x) }
    return logGamma(x + 1) - (x + 0.5) * log(x) + x - halfLogTwoPi
  }

  /// x ln(x/m) + m - x without cancellation near x = m.
  static func deviance(_ x: Double, _ m: Double) -> Double {
    let v = (x - m) / (x + m)
    guard abs(v) < 0.1 else { return x * log(x / m) + m - x }
    var sum = (x - m) * v
    var power = 2 * x * v
    for k in 1...60 {
      power *= v * v
      let next = sum + power / Double(2 * k + 1)
      if next == sum { break }
      sum = next
    }
    return sum
  }
}

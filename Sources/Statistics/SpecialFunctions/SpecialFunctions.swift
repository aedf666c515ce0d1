#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SpecialFunctions {
  /// The regularised incomplete beta function I_x(a, b) for a, b > 0; 0 below x = 0 and 1 above x = 1; NaN for other
  /// arguments.
  static func regularizedIncompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    incompleteBeta(x: x, complement: 1 - x, a, b)
  }

  /// The regularised incomplete beta function I_x(a, b), where `complement` is 1 - x with the full precision of the
  /// caller.
  ///
  /// The continued fraction of NIST DLMF 8.17.22, on the side of the mean on which it converges in about √(a + b)
  /// steps.
  static func incompleteBeta(x: Double, complement: Double, _ a: Double, _ b: Double) -> Double {
    guard a > 0, b > 0, a < .infinity, b < .infinity, !x.isNaN else { return .nan }
    if x <= 0 { return 0 }
    if complement <= 0 { return 1 }
    let (a, b) = bounded(a, b)
    let front = betaFront(x: x, complement: complement, a, b)
    if x * (b + 1) <= complement * (a + 1) {
      return min(1, front / a * betaFraction(x, a, b))
    }
    return max(0, 1 - front / b * betaFraction(complement, b, a))
  }

  /// Parameters of a beta distribution with the same mean and a limited a + b, because the fraction takes √(a + b)
  /// steps. The distribution is wider, so that bounds are never too narrow. For rare events the limit is ten times
  /// higher, because their bounds are far apart.
  static func bounded(_ a: Double, _ b: Double) -> (Double, Double) {
    let most = min(a, b) > 1e5 ? 1e8 : 1e9
    let trials = a + b
    guard trials > most else { return (a, b) }
    return (max(a / trials * most, .leastNormalMagnitude), max(b / trials * most, .leastNormalMagnitude))
  }

  /// The factor before the continued fraction, x^a (1-x)^b / B(a, b), in Loader's saddle-point form, in which no large
  /// terms cancel.
  ///
  /// C. Loader, "Fast and accurate computation of binomial probabilities" (2000).
  static func betaFront(x: Double, complement: Double, _ a: Double, _ b: Double) -> Double {
    let n = a + b
    let scale = (a / n * b / (2 * .pi)).squareRoot()
    let correction = stirlingError(n) - stirlingError(a) - stirlingError(b)
    return scale * exp(correction - deviance(a, n * x) - deviance(b, n * complement))
  }

  /// The continued fraction of I_x(a, b) by Lentz's method as modified by Thompson and Barnett (1986).
  private static func betaFraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    let tiny = 1e-300
    var c = 1.0
    var d = 1 / nonzero(1 - (a + b) * x / (a + 1), tiny)
    var fraction = d
    for step in 1...100_000 {
      let m = Double(step)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / nonzero(1 + even * d, tiny)
      c = nonzero(1 + even / c, tiny)
      fraction *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / nonzero(1 + odd * d, tiny)
      c = nonzero(1 + odd / c, tiny)
      fraction *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return fraction
  }

  private static func nonzero(_ value: Double, _ tiny: Double) -> Double { abs(value) < tiny ? tiny : value }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Special functions in double precision, with a relative error of about 1e-12 except where noted.
enum SpecialFunctions {
  /// ln Γ(x) for x > 0; NaN otherwise. Absolute error about 1e-14 below 20.
  ///
  /// Stirling's series (NIST DLMF 5.11.1), reached by the recurrence Γ(x+1) = xΓ(x).
  static func logGamma(_ x: Double) -> Double {
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

  /// ln Γ(x) minus Stirling's leading terms, for x >= 16.
  private static func stirlingTail(_ x: Double) -> Double {
    let s = 1 / (x * x)
    let tail = 1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * (691.0 / 360_360)))
    return (1.0 / 12 - s * (1.0 / 360 - s * tail)) / x
  }

  /// ln(x!) minus Stirling's approximation, for x > 0: the rest after the large terms of a binomial cancel.
  static func stirlingError(_ x: Double) -> Double {
    if x >= 16 { return stirlingTail(x) }
    return logGamma(x + 1) - (x + 0.5) * log(x) + x - halfLogTwoPi
  }

  /// The deviance x ln(x/m) + m - x of a Poisson term, without cancellation near x = m.
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

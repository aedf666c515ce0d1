#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SpecialFunctions {
  /// I_x(a, b) for a, b > 0; 0 below x = 0 and 1 above x = 1; NaN for other arguments.
  public static func regularizedIncompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    incompleteBeta(x: x, complement: 1 - x, a, b)
  }

  /// I_x(a, b), where `complement` is 1 - x as exactly as the caller knows it.
  ///
  /// The continued fraction of NIST DLMF 8.17.22, on the side of the mean where it converges in about √(a + b) steps.
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

  /// A distribution of the same mean whose a + b is small enough: the fraction takes √(a + b) steps. It is a wider one, so
  /// that bounds are never too narrow. Counts of rare events keep ten times as many trials, as their bounds are far apart.
  static func bounded(_ a: Double, _ b: Double) -> (Double, Double) {
    let most = min(a, b) > 1e5 ? 1e8 : 1e9
    let trials = a + b
    guard trials > most else { return (a, b) }
    return (max(a / trials * most, .leastNormalMagnitude), max(b / trials * most, .leastNormalMagnitude))
  }

  /// x^a (1-x)^b / B(a, b), in Loader's saddle-point form, in which nothing large cancels.
  ///
  /// C. Loader, "Fast and accurate computation of binomial probabilities" (2000).
  static func betaFront(x: Double, complement: Double, _ a: Double, _ b: Double) -> Double {
    let n = a + b
    let scale = (a / n * b / (2 * .pi)).squareRoot()
    let correction = stirlingError(n) - stirlingError(a) - stirlingError(b)
    return scale * exp(correction - deviance(a, n * x) - deviance(b, n * complement))
  }

  /// The continued fraction by Lentz's method as modified by Thompson and Barnett (1986).
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

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SpecialFunctions {
  /// The x at which I_x(a, b) = probability; 0 and 1 at the ends; NaN unless a, b > 0 and 0 <= probability <= 1.
  static func betaQuantile(_ probability: Double, _ a: Double, _ b: Double) -> Double {
    guard a > 0, b > 0, a < .infinity, b < .infinity, probability >= 0, probability <= 1 else { return .nan }
    if probability == 0 { return 0 }
    if probability == 1 { return 1 }
    let logit = betaLogit(probability, a, b, from: nearlyBetaLogit(probability, a, b))
    return 1 / (1 + exp(-logit))
  }

  /// The logit of an approximate beta quantile for a, b > 1, of the mean otherwise. M. Abramowitz and I. Stegun,
  /// "Handbook of Mathematical Functions", 26.5.22.
  private static func nearlyBetaLogit(_ probability: Double, _ a: Double, _ b: Double) -> Double {
    let mean = log(a / b)
    guard a > 1, b > 1 else { return mean }
    let y = -normalQuantile(probability)
    let lambda = (y * y - 3) / 6
    let (ofA, ofB) = (1 / (2 * a - 1), 1 / (2 * b - 1))
    let h = 2 / (ofA + ofB)
    guard h + lambda > 0 else { return mean }
    let w = y * (h + lambda).squareRoot() / h - (ofB - ofA) * (lambda + 5.0 / 6 - 2 / (3 * h))
    return mean - 2 * w
  }

  /// The beta quantile x as ln(x/(1-x)), by Halley's steps within a shrinking bracket, so that x near 0 or 1 keeps its
  /// precision.
  private static func betaLogit(_ probability: Double, _ a: Double, _ b: Double, from start: Double) -> Double {
    let (a, b) = bounded(a, b)
    var low = -740.0
    var high = 740.0
    var logit = start
    for _ in 0..<200 {
      let x = 1 / (1 + exp(-logit))
      let complement = 1 / (1 + exp(logit))
      let excess = incompleteBeta(x: x, complement: complement, a, b) - probability
      if excess == 0 { return logit }
      if excess > 0 { high = logit } else { low = logit }
      let newton = excess / betaFront(x: x, complement: complement, a, b)
      let halley = logit - newton / min(2, max(0.5, 1 - newton * (a * complement - b * x) / 2))
      let isInside = halley > low && halley < high
      let next = isInside ? halley : (low + high) / 2
      // Each step triples the number of digits: a step of 1e-6 is the last one needed.
      if abs(next - logit) <= (isInside ? 1e-6 : 1e-12) * max(1, abs(logit)) { return next }
      logit = next
    }
    return logit
  }

  /// The upper tail P(F > f) of the F distribution with d1 and d2 degrees of freedom.
  static func fDistributionUpperTail(_ f: Double, _ d1: Double, _ d2: Double) -> Double {
    guard f > 0 else { return f.isNaN ? .nan : 1 }
    if f == .infinity { return 0 }
    let total = d2 + d1 * f
    return incompleteBeta(x: d2 / total, complement: d1 * f / total, d2 / 2, d1 / 2)
  }

  /// Cornish and Fisher's expansion of t in 1/ν. From 1,000 degrees of freedom on its error is below 1e-9 for tails
  /// down to 1e-6; with fewer it is a starting value. M. Abramowitz and I. Stegun, "Handbook of Mathematical
  /// Functions", 26.7.5.
  private static func nearlyNormalT(_ probability: Double, _ freedom: Double) -> Double {
    let z = normalQuantile(probability)
    let z2 = z * z
    let first = z * (z2 + 1) / 4
    let second = z * ((5 * z2 + 16) * z2 + 3) / 96
    let third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384
    return z + (first + (second + third / freedom) / freedom) / freedom
  }

  /// The quantile of Student's distribution with any positive number of degrees of freedom: the t with P(T < t) =
  /// `probability`.
  static func studentTQuantile(_ probability: Double, _ degreesOfFreedom: Double) -> Double {
    guard degreesOfFreedom > 0, probability > 0, probability < 1 else { return .nan }
    if probability == 0.5 { return 0 }
    if degreesOfFreedom >= 1000 { return nearlyNormalT(probability, degreesOfFreedom) }
    // t²/(t² + ν) is Beta(1/2, ν/2).
    let near = degreesOfFreedom >= 3 ? nearlyNormalT(probability, degreesOfFreedom) : 1
    let start = log(max(near * near, 1e-6) / degreesOfFreedom)
    let logit = betaLogit(abs(2 * probability - 1), 0.5, degreesOfFreedom / 2, from: start)
    let size = (degreesOfFreedom * exp(logit)).squareRoot()
    return probability > 0.5 ? size : -size
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SpecialFunctions {
  /// The quantile of the normal distribution for probabilities from 1e-300; infinite at 0 and 1.
  ///
  /// The start is a rational approximation with an error below 4.5e-4 (M. Abramowitz and I. Stegun, "Handbook of
  /// Mathematical Functions", 26.2.23). Each of Halley's steps then triples the number of digits.
  static func normalQuantile(_ probability: Double) -> Double {
    let tail = min(probability, 1 - probability)
    guard tail > 0 else { return probability > 0.5 ? .infinity : -.infinity }
    let t = (-2 * log(tail)).squareRoot()
    let numerator = 2.515_517 + t * (0.802_853 + t * 0.010_328)
    var z = t - numerator / (1 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
    for _ in 0..<2 {
      // The distance between the tail beyond z and the requested one, in units of the density.
      let density = exp(-z * z / 2) / (2 * Double.pi).squareRoot()
      let step = (erfc(z / 2.0.squareRoot()) / 2 - tail) / density
      z += step / (1 - z * step / 2)
    }
    return probability > 0.5 ? z : -z
  }
}

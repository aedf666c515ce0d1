#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SpecialFunctions {
  /// The z below which a normal variable lies with `probability`, from 1e-300 on; infinite at 0 and 1.
  ///
  /// A rational start with an error below 4.5e-4 (M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions",
  /// 26.2.23), then Halley's steps, each of which trebles the number of digits.
  static func normalQuantile(_ probability: Double) -> Double {
    let tail = min(probability, 1 - probability)
    guard tail > 0 else { return probability > 0.5 ? .infinity : -.infinity }
    let t = (-2 * log(tail)).squareRoot()
    let numerator = 2.515_517 + t * (0.802_853 + t * 0.010_328)
    var z = t - numerator / (1 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
    for _ in 0..<2 {
      // How far the tail beyond z is from the wanted one, in units of the density.
      let density = exp(-z * z / 2) / (2 * Double.pi).squareRoot()
      let step = (erfc(z / 2.0.squareRoot()) / 2 - tail) / density
      z += step / (1 - z * step / 2)
    }
    return probability > 0.5 ? z : -z
  }
}

import Foundation
public import TestSupport

extension SeededRandom {
  /// A share with mean `mean`. Two draws for one owner correlate by `likeness`. It is beta-distributed, as the ratio of
  /// two gamma numbers.
  public mutating func share(mean: Double, likeness: Double) -> Double {
    if likeness <= 0 { return mean }
    let spread = 1 / likeness - 1
    let (a, b) = (gamma(mean * spread), gamma((1 - mean) * spread))
    return a + b > 0 ? a / (a + b) : 0
  }

  /// Marsaglia and Tsang (2000). Shapes below 1 use Johnk's power of a uniform number.
  public mutating func gamma(_ shape: Double) -> Double {
    if shape < 1 { return gamma(shape + 1) * pow(1 - uniform(), 1 / shape) }
    let d = shape - 1.0 / 3
    let c = 1 / (9 * d).squareRoot()
    while true {
      let x = normal()
      let v = pow(1 + c * x, 3)
      if v > 0, log(1 - uniform()) < 0.5 * x * x + d - d * v + d * log(v) { return d * v }
    }
  }
}

import Foundation

/// Random numbers that are the same in every run (SplitMix64, Steele et al. 2014).
public struct FleetRandom: RandomNumberGenerator {
  private var state: UInt64

  public init(_ seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// 0 up to 1.
  public mutating func uniform() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Mean 0, deviation 1 (Box and Muller).
  public mutating func normal() -> Double {
    (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
  }

  /// A whole number with the given mean, by multiplication: for means up to some hundreds.
  public mutating func poisson(_ mean: Double) -> Int {
    var product = uniform()
    let limit = exp(-mean)
    var count = 0
    while product > limit {
      product *= uniform()
      count += 1
    }
    return count
  }

  /// A share with mean `mean` of which two draws for one owner correlate by `likeness`: beta-distributed, as the ratio
  /// of two gamma numbers.
  public mutating func share(mean: Double, likeness: Double) -> Double {
    if likeness <= 0 { return mean }
    let spread = 1 / likeness - 1
    let (a, b) = (gamma(mean * spread), gamma((1 - mean) * spread))
    return a + b > 0 ? a / (a + b) : 0
  }

  /// Marsaglia and Tsang (2000); shapes below 1 by Johnk's power of a uniform number.
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

import Foundation

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers for the same seed, in every run and on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  @inlinable public init(seed: UInt64) { state = seed }

  @inlinable public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// 0 up to `limit`, which is not included.
  @inlinable public mutating func index(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// 0 up to 1.
  @inlinable public mutating func uniform() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

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
}

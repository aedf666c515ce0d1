import Foundation

/// A seeded random generator (SplitMix64, Steele et al. 2014), so that the demo data is reproducible.
struct DemoRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A uniform number from 0 up to, but not including, 1.
  mutating func unit() -> Double { Double.random(in: 0..<1, using: &self) }

  mutating func happens(_ probability: Double) -> Bool { unit() < probability }

  /// A normally distributed number with mean 0 and standard deviation 1 (Box–Muller).
  mutating func normal() -> Double { (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit()) }

  /// A log-normally distributed number with median 1. `sigma`: the standard deviation of its logarithm.
  mutating func lognormal(_ sigma: Double) -> Double { exp(sigma * normal()) }

  /// A geometrically distributed number, at least 1, with the given mean.
  mutating func geometric(mean: Double) -> Int { 1 + Int(log(1 - unit()) / log(1 - 1 / max(1.0001, mean))) }

  /// A random item, with a probability in proportion to its weight; nil if there are none.
  mutating func pick<Item>(_ items: [(Item, Double)]) -> Item? {
    var rest = unit() * items.reduce(0) { $0 + $1.1 }
    for (item, weight) in items {
      rest -= weight
      if rest < 0 { return item }
    }
    return items.last?.0
  }
}

import Foundation

/// A seeded generator (SplitMix64, Steele et al. 2014), so that a made-up fleet is the same every time.
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

  /// 0 up to 1.
  mutating func unit() -> Double { Double.random(in: 0..<1, using: &self) }

  mutating func happens(_ probability: Double) -> Bool { unit() < probability }

  /// A normal number with mean 0 and deviation 1 (Box and Muller).
  mutating func normal() -> Double { (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit()) }

  /// A log-normal number with median 1.
  mutating func lognormal(_ sigma: Double) -> Double { exp(sigma * normal()) }

  /// 1, 2, 3 … with the given mean.
  mutating func geometric(mean: Double) -> Int { 1 + Int(log(1 - unit()) / log(1 - 1 / max(1.0001, mean))) }

  /// One of the items, by weight.
  mutating func pick<Item>(_ items: [(Item, Double)]) -> Item? {
    var rest = unit() * items.reduce(0) { $0 + $1.1 }
    for (item, weight) in items {
      rest -= weight
      if rest < 0 { return item }
    }
    return items.last?.0
  }
}

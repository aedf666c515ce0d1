import TestSupport

extension SeededRandom {
  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

  mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  /// The same number for the same parts.
  static func fixed(_ parts: UInt64...) -> UInt64 {
    var random = SeededRandom(seed: 0x5eed)
    for part in parts { random = SeededRandom(seed: random.next() ^ part) }
    return random.next()
  }
}

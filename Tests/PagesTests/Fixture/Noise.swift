/// The same wobble on every machine: Park and Miller's minimal standard generator.
struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed % 2_147_483_646 + 1 }

  /// The next number, from -1 to 1.
  mutating func next() -> Double {
    state = state * 48_271 % 2_147_483_647
    return Double(state) / 2_147_483_647 * 2 - 1
  }
}

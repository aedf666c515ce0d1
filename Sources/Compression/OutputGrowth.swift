/// How much room an output gets, step by step.
///
/// It doubles, and takes the last step, to the limit, from at most half of it: while one room is copied to the next,
/// both hold no more than the limit together. Each has a byte more than the output may fill, so that an output of just
/// that size is seen to end.
struct OutputGrowth {
  private let most: Int
  private(set) var capacity: Int

  /// `announced` is what the input says of itself, 0 for nothing. It is believed up to a ratio that ordinary data has.
  init(limit: Int, announced: Int, inputSize: Int) {
    most = min(max(0, limit), Int.max / 4) + 1
    let ordinary = max(4096, min(inputSize, Int.max / 128) * 32)
    let guess = announced > 0 ? min(announced, ordinary) : max(4096, ordinary / 4)
    capacity = min(most, guess + 1)
  }

  /// False when the limit is reached.
  mutating func grow() -> Bool {
    guard capacity < most else { return false }
    capacity = capacity > most / 4 ? most : capacity * 2
    return true
  }
}

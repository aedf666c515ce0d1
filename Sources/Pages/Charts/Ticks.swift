/// Round numbers along an axis: 1, 2 or 5 times a power of ten apart (Heckbert, "Nice numbers for graph labels", 1990).
enum Ticks {
  /// The smallest round step that puts at most `count` steps between `lower` and `upper`.
  static func step(_ lower: Double, _ upper: Double, count: Int) -> Double {
    let raw = (upper - lower) / Double(max(1, count))
    guard raw > 0, raw.isFinite else { return 1 }
    var power = 1.0
    while power * 10 <= raw { power *= 10 }
    while power > raw { power /= 10 }
    // A hair of tolerance: 0.1 + 0.2 is more than 0.3.
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= raw * (1 - 1e-9) } ?? power * 10
  }

  /// The multiples of `step` from `lower` to `upper`, both included.
  static func multiples(of step: Double, _ lower: Double, _ upper: Double) -> [Double] {
    guard step > 0, upper >= lower, (upper - lower) / step < 1000 else { return [] }
    let first = (lower / step - 1e-9).rounded(.up)
    let last = (upper / step + 1e-9).rounded(.down)
    guard last >= first else { return [] }
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }
}

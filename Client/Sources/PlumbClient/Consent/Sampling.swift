import Foundation

/// Whether this installation is in the sample. It is drawn once, so that an installation sends either everything or
/// nothing, and rates stay unbiased.
enum Sampling {
  /// The stored number has only these values, so that it cannot identify an installation.
  private static let steps = 10_000

  /// `share`: the sampled share of installations, from 0 to 1. `file` stores the draw; it also holds for other shares,
  /// so that installations of a small sample stay in a larger one. `random` returns numbers from 0 to 1.
  static func includes(_ share: Double, file: URL, random: () -> Double) -> Bool {
    if share >= 1 { return true }
    let kept = (try? String(contentsOf: file, encoding: .utf8)).flatMap { Int($0) }
    if let kept, kept >= 0, kept < steps { return Double(kept) < share * Double(steps) }
    let drawn = min(steps - 1, Int(random() * Double(steps)))
    // If the draw cannot be stored, each launch would draw again, and the sample would grow.
    guard (try? Data(String(drawn).utf8).write(to: file, options: .atomic)) != nil else { return false }
    return Double(drawn) < share * Double(steps)
  }
}

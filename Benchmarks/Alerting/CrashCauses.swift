import Fleets
import TestSupport

/// The causes of crashes in a healthy invented app. A few causes are common and most are rare. Every release adds some
/// that hardly occur.
///
/// A cause is a number. Those below `shared` are as old as the app; a fault has `fault`.
struct CrashCauses: Sendable {
  /// The causes that are as old as the app. The r-th is proportional to 1/r (Zipf).
  static let shared = 20
  /// The causes that are new in each release and remain in later ones.
  static let perRelease = 3
  /// The share of each new cause in a release's crashes.
  static let ownShare = 0.01
  /// The most common cause.
  static let common = 0
  /// A known but less common cause: one crash in eighteen.
  static let known = 4
  /// The cause of a real fault. It occurs nowhere else.
  static let fault = 1000

  private let sums: [Double]

  init() {
    var sum = 0.0
    sums = (1...Self.shared).map { rank in
      sum += 1 / Double(rank)
      return sum
    }
  }

  /// Draws a cause of a crash in a release.
  func draw(in release: Int, _ random: inout SeededRandom) -> Int {
    let own = (release + 1) * Self.perRelease
    let position = random.uniform()
    if position < Double(own) * Self.ownShare { return Self.shared + Int(position / Self.ownShare) }
    let rest = random.uniform() * (sums.last ?? 0)
    return sums.firstIndex { rest < $0 } ?? Self.shared - 1
  }
}

import Fleets
import TestSupport

/// What crashes of a made-up app come from, when nothing is wrong: a few causes are common, most are rare, and every
/// release brings some of its own that hardly anybody sees.
///
/// A cause is a number. Those below `shared` are as old as the app; a fault has `fault`.
struct CrashCauses: Sendable {
  /// As old as the app, the r-th in proportion to 1/r (Zipf).
  static let shared = 20
  /// New in each release, and in the releases after it.
  static let perRelease = 3
  /// The share of a release's crashes that each of its own causes has.
  static let ownShare = 0.01
  /// The most common cause of all.
  static let common = 0
  /// One that is known and not common: one crash in eighteen.
  static let known = 4
  /// The cause of what is really wrong; it occurs nowhere else.
  static let fault = 1000

  private let sums: [Double]

  init() {
    var sum = 0.0
    sums = (1...Self.shared).map { rank in
      sum += 1 / Double(rank)
      return sum
    }
  }

  /// A cause of a crash in a release.
  func draw(in release: Int, _ random: inout SeededRandom) -> Int {
    let own = (release + 1) * Self.perRelease
    let position = random.uniform()
    if position < Double(own) * Self.ownShare { return Self.shared + Int(position / Self.ownShare) }
    let rest = random.uniform() * (sums.last ?? 0)
    return sums.firstIndex { rest < $0 } ?? Self.shared - 1
  }
}

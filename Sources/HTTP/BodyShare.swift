internal import Synchronization

/// The memory that all bodies being received may use together.
final class BodyShare: Sendable {
  private let limit: Int
  private let taken = Atomic<Int>(0)

  init(limit: Int) { self.limit = limit }

  var used: Int { taken.load(ordering: .relaxed) }

  /// Takes `bytes`, or nothing when they do not fit.
  func take(_ bytes: Int) -> Bool {
    if taken.add(bytes, ordering: .relaxed).newValue <= limit { return true }
    giveBack(bytes)
    return false
  }

  func giveBack(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}

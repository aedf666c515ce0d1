internal import Core
public import Statistics

/// The users of a day, and the users with a crash.
public struct UserTally: Sendable, Equatable {
  public var all: UserSet
  public var crashed: UserSet

  public init(all: UserSet = UserSet(), crashed: UserSet = UserSet()) {
    self.all = all
    self.crashed = crashed
  }

  /// Adds the users of another tally, with and without a crash.
  public mutating func merge(_ other: UserTally) {
    all.merge(other.all)
    crashed.merge(other.crashed)
  }

  /// Removes users, if they are stored individually and not as an estimate.
  mutating func subtract(_ other: UserTally) {
    all.subtract(other.all)
    crashed.subtract(other.crashed)
  }

  /// Whether the tally contains no users.
  var isEmpty: Bool { self == UserTally() }
}

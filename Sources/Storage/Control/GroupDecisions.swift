public import Core

/// The store of decisions about groups.
public protocol GroupDecisions: Sendable {
  /// The decisions by group fingerprint. A group without one is open.
  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision]

  /// Stores a decision; `open` deletes an earlier one.
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws
}

/// A decision about a group with its time.
public struct GroupDecision: Sendable, Equatable {
  public var state: State
  public var changed: Timestamp

  public enum State: Sendable, Equatable {
    case open
    /// Fixed in this release, given as a version or a version and build. If the group occurs in it or later, it is open
    /// again.
    case resolved(release: String)
    /// The team ignores the group.
    case ignored
  }

  public init(_ state: State, changed: Timestamp) {
    self.state = state
    self.changed = changed
  }
}

public import Telemetry

/// What people decided about groups.
public protocol GroupStates: Sendable {
  /// Decisions by fingerprint. Groups without one are open.
  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision]

  /// Stores a decision; `open` deletes the one before.
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws
}

/// A decision about a group.
public struct GroupDecision: Sendable, Equatable {
  public var state: State
  public var changed: Timestamp

  public enum State: Sendable, Equatable {
    case open
    /// Fixed in this release: a version, or a version and build. Seen there or later, the group is open again.
    case resolved(release: String)
    /// The team chose to ignore it.
    case ignored
  }

  public init(_ state: State, changed: Timestamp) {
    self.state = state
    self.changed = changed
  }
}

public import Telemetry

/// What people said about groups.
public protocol GroupStates: Sendable {
  /// By fingerprint. Groups that nobody said anything about are open, and not in there.
  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision]

  /// Remembers what somebody decided; `open` forgets what was decided before.
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws
}

/// What somebody decided about a group.
public struct GroupDecision: Sendable, Equatable {
  public var state: State
  public var changed: Timestamp

  public enum State: Sendable, Equatable {
    case open
    /// Mended in this release: a version, or a version and build. Seen there or later, it is open again.
    case resolved(release: String)
    /// Nobody wants to hear of it.
    case ignored
  }

  public init(_ state: State, changed: Timestamp) {
    self.state = state
    self.changed = changed
  }
}

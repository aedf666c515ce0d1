/// A session update with the ids as a client sent them.
public typealias SessionUpdate = IdentifiedSessionUpdate<String>

/// A session update whose ids are keyed hashes, as records store it.
public typealias HashedSessionUpdate = IdentifiedSessionUpdate<UInt64>

/// The state of one session at one moment, as a client reported it. The latest update wins, so retries and reordering
/// change nothing. `ID` is the type of session and user ids.
public struct IdentifiedSessionUpdate<ID: Sendable & Equatable>: Sendable, Equatable {
  /// The session's id.
  public var id: ID
  public var outcome: SessionOutcome
  public var started: Timestamp
  /// The client's sequence number of the update; nil when it sends none. The update's time then decides which is
  /// latest.
  public var sequence: Int64?
  /// The time of the update; nil when unknown. Records store it only for updates without a sequence number.
  public var updated: Timestamp?
  /// The id of the installation or user; nil when unknown.
  public var user: ID?
  /// The session's duration in seconds; nil when unknown.
  public var duration: Double?
  /// Whether the client reports a hang in the session.
  public var hasHang: Bool

  public init(
    id: ID, outcome: SessionOutcome, started: Timestamp, sequence: Int64? = nil, updated: Timestamp? = nil,
    user: ID? = nil, duration: Double? = nil, hasHang: Bool = false
  ) {
    self.id = id
    self.outcome = outcome
    self.started = started
    self.sequence = sequence
    self.updated = updated
    self.user = user
    self.duration = duration
    self.hasHang = hasHang
  }
}

/// The outcome of a session. The counts of the five outcomes add up to the number of sessions.
///
/// Raw values are stored: never change one.
public enum SessionOutcome: UInt8, Sendable, CaseIterable {
  /// The session is running, or ended normally.
  case healthy = 0
  /// The session had handled errors.
  case errored = 1
  /// The session had an unhandled error that the app survived.
  case unhandled = 2
  /// The session ended abnormally: killed, frozen, or without a known end.
  case abnormal = 3
  case crashed = 4

  /// The name in the API: `healthy`, `errored`, `unhandled`, `abnormal`, `crashed`.
  public var name: String {
    switch self {
    case .healthy: "healthy"
    case .errored: "errored"
    case .unhandled: "unhandled"
    case .abnormal: "abnormal"
    case .crashed: "crashed"
    }
  }
}

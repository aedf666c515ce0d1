/// A session update with the ids that a client sent.
public typealias SessionUpdate = IdentifiedSessionUpdate<String>

/// A session update whose ids are keyed hashes: the form in which records hold it.
public typealias HashedSessionUpdate = IdentifiedSessionUpdate<UInt64>

/// The state of one session at one moment, as a client reported it. The latest update wins; retries and order do not
/// matter. `ID` is the type of the ids of sessions and users.
public struct IdentifiedSessionUpdate<ID: Sendable & Equatable>: Sendable, Equatable {
  /// The session's id.
  public var id: ID
  public var outcome: SessionOutcome
  public var started: Timestamp
  /// The client's own number of the update; nil when it sends none, and the moment of the update decides.
  public var sequence: Int64?
  /// The moment of the update; nil when unknown. Records hold it only for updates without a number.
  public var updated: Timestamp?
  /// The installation or user.
  public var user: ID?
  /// Seconds; nil when unknown.
  public var duration: Double?

  public init(
    id: ID, outcome: SessionOutcome, started: Timestamp, sequence: Int64? = nil, updated: Timestamp? = nil,
    user: ID? = nil, duration: Double? = nil
  ) {
    self.id = id
    self.outcome = outcome
    self.started = started
    self.sequence = sequence
    self.updated = updated
    self.user = user
    self.duration = duration
  }
}

/// How a session went. The five outcomes sum to the total.
///
/// Raw values are stored: never change one.
public enum SessionOutcome: UInt8, Sendable, CaseIterable {
  /// It runs, or it ended as it should.
  case healthy = 0
  /// It saw handled errors.
  case errored = 1
  /// An error went unhandled, and the app survived.
  case unhandled = 2
  /// It did not end gracefully: killed, frozen, fate unknown.
  case abnormal = 3
  case crashed = 4

  /// `healthy`, `errored`, `unhandled`, `abnormal`, `crashed`
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

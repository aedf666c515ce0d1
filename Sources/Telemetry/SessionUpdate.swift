/// The state of one session at one moment, as its client sent it. The latest update wins; retries and order do not matter.
public struct SessionUpdate: Sendable, Equatable {
  /// The session's id as the client sent it. It is hashed before it is stored.
  public var id: String
  public var outcome: SessionOutcome
  public var started: Timestamp
  /// The client's own order of updates; nil when it sends none, then the moment of the update decides.
  public var sequence: Int64?
  /// The moment of the update; nil when the client does not say.
  public var updated: Timestamp?
  /// The installation or user, as the client sent it. It is hashed before it is stored.
  public var user: String?
  /// Seconds; nil when unknown.
  public var duration: Double?

  public init(
    id: String, outcome: SessionOutcome, started: Timestamp, sequence: Int64? = nil, updated: Timestamp? = nil,
    user: String? = nil, duration: Double? = nil
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

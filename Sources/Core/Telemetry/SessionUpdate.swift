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

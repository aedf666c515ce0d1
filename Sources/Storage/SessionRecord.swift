public import Telemetry

/// One update of one session, ids hashed.
public struct SessionRecord: Sendable, Equatable {
  public var key: CellKey
  /// The keyed hash of the session's id.
  public var id: UInt64
  public var outcome: SessionOutcome
  /// When it started, in minutes by the clocks of the app's zone since 1970-01-01T00:00.
  public var minute: Int
  /// The order of updates: the client's own, or the update's time in milliseconds.
  public var sequence: Int64
  /// The client numbered its updates itself.
  public var isSequenceExplicit: Bool
  /// The keyed hash of the user; nil when the client named none.
  public var user: UInt64?
  public var received: Timestamp

  public init(
    key: CellKey, id: UInt64, outcome: SessionOutcome, minute: Int, sequence: Int64, isSequenceExplicit: Bool,
    user: UInt64?, received: Timestamp
  ) {
    self.key = key
    self.id = id
    self.outcome = outcome
    self.minute = minute
    self.sequence = sequence
    self.isSequenceExplicit = isSequenceExplicit
    self.user = user
    self.received = received
  }
}

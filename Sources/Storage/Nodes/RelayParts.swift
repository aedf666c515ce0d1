/// A part of an ingest node's journal on its way to the primary, in the order of the node's sequences.
public enum RelayPart: Sendable {
  /// The records of one request with an idempotency key, or of any number of requests without keys; `app` is then
  /// meaningless.
  case records(PendingRecords)
  /// A number of sequences whose records the node no longer has or cannot read.
  case missing(Int)

  /// The number of sequences.
  public var count: Int {
    switch self {
    case .records(let records): records.count
    case .missing(let count): count
    }
  }
}

/// The parts that follow a sequence in an ingest node's journal.
public struct RelayParts: Sendable {
  public var parts: [RelayPart]
  /// The last sequence of the parts; the start of the read if there are none.
  public var through: Int64

  public init(parts: [RelayPart], through: Int64) {
    self.parts = parts
    self.through = through
  }
}

/// The stored relay state of an ingest node.
public struct RelayState: Sendable, Equatable {
  /// The node's name, under which its records are relayed.
  public var identity: NodeID
  /// The sequence up to which the primary has the records.
  public var position: Int64
  /// The last sequence when the node was opened, until the primary has returned its own position; nil afterwards.
  public var opened: Int64?
  /// The number of records that could not be relayed.
  public var setAside: Int64

  public init(identity: NodeID, position: Int64, opened: Int64?, setAside: Int64) {
    self.identity = identity
    self.position = position
    self.opened = opened
    self.setAside = setAside
  }
}

/// The result of storing parts of a node's journal.
public enum RelayOutcome: Sendable {
  /// The parts are on disk. `batch`: the new records; nil if there are none. `repeated`: requests whose key was already
  /// used, and whether with another body. `isNewNode`: whether the node was unknown before.
  case taken(
    position: Int64, batch: JournalBatch?, repeated: [(records: PendingRecords, isReused: Bool)], isNewNode: Bool)
  /// Nothing changed: the stored position of the node differs from the start of these parts.
  case elsewhere(position: Int64)
  /// The node is unknown, and the maximum number of nodes is reached.
  case tooManyNodes
}

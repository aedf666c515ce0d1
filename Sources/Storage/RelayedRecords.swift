public import Core

/// A part of an ingest node's journal on its way to the primary, in the order of the node's sequences.
public enum RelayPart: Sendable {
  /// The records of one request with an idempotency key, or of any number of requests without; then `app` means nothing.
  case records(PendingRecords)
  /// As many sequences whose records the node no longer has, or cannot read.
  case missing(Int)

  /// The number of sequences.
  public var count: Int {
    switch self {
    case .records(let records): records.count
    case .missing(let count): count
    }
  }
}

/// What follows a sequence in an ingest node's journal.
public struct RelayParts: Sendable {
  public var parts: [RelayPart]
  /// The last sequence of the parts; that from which they were read if there are none.
  public var through: Int64

  public init(parts: [RelayPart], through: Int64) {
    self.parts = parts
    self.through = through
  }
}

/// What an ingest node remembers of its relay.
public struct RelayState: Sendable, Equatable {
  /// The name under which its records are relayed.
  public var identity: NodeID
  /// The sequence up to which the primary has them.
  public var position: Int64
  /// The last sequence at its opening, until the primary has said which it knows; nil afterwards.
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

/// An ingest node, as its primary knows it.
public struct IngestNode: Sendable, Equatable {
  public var id: NodeID
  /// What its operator calls it; the host's name by default.
  public var name: String
  /// The node's sequence up to which its records are in the primary's journal.
  public var position: Int64
  /// When it was last heard of.
  public var heard: Timestamp

  public init(id: NodeID, name: String, position: Int64, heard: Timestamp) {
    self.id = id
    self.name = name
    self.position = position
    self.heard = heard
  }

  /// The most nodes that a primary knows.
  public static let most = 100
}

/// The result of taking over parts of a node's journal.
public enum RelayOutcome: Sendable {
  /// They are on disk. `batch`: the new records; nil if there are none. `repeated`: requests whose key came before, and
  /// whether with another body. `isNewNode`: the node was not known before.
  case taken(
    position: Int64, batch: JournalBatch?, repeated: [(records: PendingRecords, isReused: Bool)], isNewNode: Bool)
  /// Nothing changed: the node's records are here up to another sequence than that from which these begin.
  case elsewhere(position: Int64)
  /// The node is unknown, and there are as many as there may be.
  case tooManyNodes
}

/// Rows of a primary's journal that a standby lacks, in order, read in one transaction.
public struct JournalExcerpt: Sendable, Equatable {
  /// A batch as stored.
  public struct Batch: Sendable, Equatable {
    /// The sequences of its records.
    public var first: Int64
    public var through: Int64
    /// The time of receipt, in milliseconds since 1970.
    public var received: Int64
    /// How the records are compressed: 0 for not at all, otherwise the number of a dictionary.
    public var dictionary: Int64
    public var records: [UInt8]
    /// The ingest node that relayed the batch, with its position after it; nil for own records.
    public var origin: Origin?

    public init(
      first: Int64, through: Int64, received: Int64, dictionary: Int64, records: [UInt8], origin: Origin? = nil
    ) {
      (self.first, self.through, self.received) = (first, through, received)
      (self.dictionary, self.records, self.origin) = (dictionary, records, origin)
    }
  }

  /// A position in the journal of an ingest node.
  public struct Origin: Sendable, Equatable {
    public var node: NodeID
    public var position: Int64

    public init(node: NodeID, position: Int64) { (self.node, self.position) = (node, position) }
  }

  /// An idempotency key of the excerpt's records.
  public struct Key: Sendable, Equatable {
    public var app: AppID
    public var receipt: Receipt
    /// The time of receipt, in milliseconds since 1970.
    public var received: Int64
    public var through: Int64
    public var count: Int64

    public init(app: AppID, receipt: Receipt, received: Int64, through: Int64, count: Int64) {
      (self.app, self.receipt, self.received, self.through, self.count) = (app, receipt, received, through, count)
    }
  }

  public var batches: [Batch]
  public var keys: [Key]
  /// The last sequence of the journal, if the excerpt reaches it, with all ingest nodes; nil if more batches follow.
  public var end: End?

  /// The state of a journal at its end.
  public struct End: Sendable, Equatable {
    public var last: Int64
    public var nodes: [IngestNode]

    public init(last: Int64, nodes: [IngestNode]) { (self.last, self.nodes) = (last, nodes) }
  }

  public init(batches: [Batch] = [], keys: [Key] = [], end: End? = nil) {
    (self.batches, self.keys, self.end) = (batches, keys, end)
  }
}

/// The result of reading a journal for a standby.
public enum JournalReading: Sendable, Equatable {
  case excerpt(JournalExcerpt)
  /// Records after the standby's position were purged, so it needs a new copy of the folder.
  case purged
  /// The standby's last record is not in this journal: the folders have different histories.
  case diverged
}

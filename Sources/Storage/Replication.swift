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

/// The place of a primary in the sequence of primaries of an installation. Each promotion begins an epoch.
public struct Epoch: Sendable, Equatable {
  /// The epoch's number; 0 for the first primary.
  public var number: Int64
  /// Identifies the promotion that began the epoch. Two standbys that were both promoted may have the same number, but
  /// never the same text. Nil in the first epoch.
  public var promotion: String?
  /// The address of the primary that this one replaced; nil in the first epoch.
  public var previous: String?
  /// The newer primary that replaced this one; nil while there is none.
  public var successor: Successor?

  /// A newer primary.
  public struct Successor: Sendable, Equatable {
    public var number: Int64
    public var address: String

    public init(number: Int64, address: String) { (self.number, self.address) = (number, address) }
  }

  public init(
    number: Int64, promotion: String? = nil, previous: String? = nil, successor: Successor? = nil
  ) {
    (self.number, self.promotion, self.previous, self.successor) = (number, promotion, previous, successor)
  }

  /// A text for `promotion`.
  public static func newPromotion() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 16) }
  /// The longest accepted text, in bytes.
  public static let longestPromotion = 16

  /// Whether another primary has this number by another promotion.
  public func isRival(of other: Epoch) -> Bool {
    guard number == other.number, let promotion, let theirs = other.promotion else { return false }
    return promotion != theirs
  }
}

/// Two standbys of one primary were promoted, so that two servers accept payloads.
public struct RivalPrimaries: Error, Equatable, CustomStringConvertible {
  public var epoch: Int64
  /// The address of one server, or a description.
  public var one: String
  public var other: String

  public init(epoch: Int64, _ one: String, _ other: String) { (self.epoch, self.one, self.other) = (epoch, one, other) }

  public var description: String {
    "Two servers were promoted to epoch \(epoch): \(one) and \(other). To end this, run `plumb promote --force` on the "
      + "one that is to stay. The other then accepts no payloads."
  }
}

/// The error of writing to the journal of a primary that was replaced.
public struct SupersededPrimary: Error, Equatable, CustomStringConvertible {
  public var successor: Epoch.Successor

  public init(_ successor: Epoch.Successor) { self.successor = successor }

  public var description: String {
    "This primary was replaced by \(successor.address) (epoch \(successor.number)) and accepts no payloads. To make it "
      + "a standby, move its folder away and start `plumb serve --standby-of \(successor.address)`."
  }
}

/// The error of writing to the folder of a standby.
public struct StandbyIsReadOnly: Error, Equatable, CustomStringConvertible {
  public var primary: String

  public init(primary: String) { self.primary = primary }

  public var description: String {
    "This folder is a standby of \(primary), so it cannot be changed here. Make the change on the primary, or run "
      + "`plumb promote`."
  }
}

public import Telemetry

/// The durable queue between a client and the digest. An acknowledged record is in it until it was digested.
public protocol Journal: Sendable {
  /// The identity of the data folder; (node, sequence) is the identity of a record.
  var node: NodeID { get }

  /// Appends everything in one transaction that is on disk when this returns.
  func append(_ pending: [PendingRecords]) throws -> Appended

  /// The batches behind `sequence`, oldest first: at least one if there is any, then up to `limit` bytes.
  func batches(after sequence: Int64, limit: Int) throws -> [JournalBatch]

  /// The greatest sequence ever given out, 0 before the first.
  func lastSequence() throws -> Int64

  /// Deletes batches up to `sequence` (never further) that are older than `age`, or that exceed `bytes` together.
  func purge(through sequence: Int64, olderThan: Timestamp, keepingAtMost bytes: Int) throws
}

/// The identity of a data folder, made with it: 16 hexadecimal digits.
public struct NodeID: Hashable, Sendable {
  public var text: String

  public init(_ text: String) { self.text = text }
}

/// The records of one request that wait for their transaction: all of them count, or none.
public struct PendingRecords: Sendable {
  public var app: AppID
  /// What `Record` wrote, each behind its length as a varint.
  public var bytes: [UInt8]
  public var count: Int
  /// The client's idempotency key with a hash of the content; nil when it sent none.
  public var receipt: Receipt?
  public var received: Timestamp

  public init(app: AppID, bytes: [UInt8], count: Int, receipt: Receipt?, received: Timestamp) {
    self.app = app
    self.bytes = bytes
    self.count = count
    self.receipt = receipt
    self.received = received
  }
}

/// An idempotency key and what was sent under it, as hashes.
public struct Receipt: Sendable, Hashable {
  public var key: UInt64
  public var content: UInt64

  public init(key: UInt64, content: UInt64) {
    self.key = key
    self.content = content
  }
}

/// What a commit did.
public struct Appended: Sendable {
  /// One per request, in order.
  public var outcomes: [AppendOutcome]
  /// What was committed; nil when everything was a duplicate.
  public var batch: JournalBatch?

  public init(outcomes: [AppendOutcome], batch: JournalBatch?) {
    self.outcomes = outcomes
    self.batch = batch
  }
}

/// What became of a request's records.
public enum AppendOutcome: Sendable, Equatable {
  /// They are on disk; `through` is the sequence of the last one.
  case accepted(through: Int64)
  /// The app already used this idempotency key within the last seven days. `isReused` is true when the content was
  /// different then.
  case duplicate(isReused: Bool)
}

/// The records of one transaction, concatenated, each behind its length as a varint.
public struct JournalBatch: Sendable {
  /// The sequence of the first record.
  public var first: Int64
  public var count: Int
  public var records: [UInt8]

  public init(first: Int64, count: Int, records: [UInt8]) {
    self.first = first
    self.count = count
    self.records = records
  }

  /// The sequence of the last record.
  public var through: Int64 { first + Int64(count) - 1 }
}

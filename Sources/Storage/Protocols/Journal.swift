public import Core

/// The durable queue between the HTTP endpoints and the digest. An acknowledged record stays in it at least until it is
/// applied to the store.
public protocol Journal: Sendable {
  /// The identity of the data folder. A record is identified by node and sequence.
  var node: NodeID { get }

  /// Appends the records of several requests in one transaction, which is on disk when this returns.
  func append(_ pending: [PendingRecords]) throws -> Appended

  /// The batches after `sequence`, oldest first: at least one if there are any, then more up to `limit` bytes.
  func batches(after sequence: Int64, limit: Int) throws -> [JournalBatch]

  /// The highest sequence ever assigned; 0 before the first record.
  func lastSequence() throws -> Int64

  /// Deletes batches up to `sequence` that were received before `olderThan` or that together exceed `bytes`.
  func purge(through sequence: Int64, olderThan: Timestamp, keepingAtMost bytes: Int) throws
}

/// The records of one request that wait for a transaction. They are stored together or not at all.
public struct PendingRecords: Sendable {
  public var app: AppID
  /// The encoded records, each preceded by its length as a varint.
  public var bytes: [UInt8]
  public var count: Int
  /// The client's idempotency key with a hash of the body; nil if it sent none.
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

/// The hashes of an idempotency key and of the body with which it was sent.
public struct Receipt: Sendable, Hashable {
  public var key: UInt64
  public var content: UInt64

  public init(key: UInt64, content: UInt64) {
    self.key = key
    self.content = content
  }
}

/// The result of a transaction that appended records.
public struct Appended: Sendable {
  /// The outcome of each request of the transaction, in order.
  public var outcomes: [AppendOutcome]
  /// The stored records; nil if every request was a duplicate.
  public var batch: JournalBatch?

  /// The size of the stored records on disk, in bytes.
  public var storedBytes: Int

  public init(outcomes: [AppendOutcome], batch: JournalBatch?, storedBytes: Int = 0) {
    self.outcomes = outcomes
    self.batch = batch
    self.storedBytes = storedBytes
  }
}

/// The sizes of an app's records in a transaction of the journal.
public struct JournaledBytes: Sendable, Equatable {
  /// The encoded size.
  public var encoded = 0
  /// The size on disk: the app's share of the transaction.
  public var stored = 0

  public init(encoded: Int = 0, stored: Int = 0) {
    self.encoded = encoded
    self.stored = stored
  }
}

/// The result of storing a request's records.
public enum AppendOutcome: Sendable, Equatable {
  /// The records are on disk; `through` is the sequence of the last one.
  case accepted(through: Int64)
  /// The app used this idempotency key within the last seven days, so nothing was stored. `isReused` means that the key
  /// came with a different body.
  case duplicate(isReused: Bool)
}

/// The records of one transaction, concatenated, each preceded by its length as a varint.
public struct JournalBatch: Sendable {
  /// The sequence of the first record.
  public var first: Int64
  public var count: Int
  public var records: [UInt8]
  /// The stored bytes of a batch whose records cannot be decoded; `records` is then empty.
  public var damaged: [UInt8]

  public init(first: Int64, count: Int, records: [UInt8], damaged: [UInt8] = []) {
    self.first = first
    self.count = count
    self.records = records
    self.damaged = damaged
  }

  /// The sequence of the last record.
  public var through: Int64 { first + Int64(count) - 1 }
}

extension JournalBatch {
  /// Whether the batch has as many records as it states.
  public var isSeparable: Bool {
    records.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      for _ in 0..<max(0, count) where (try? reader.slice()) == nil { return false }
      return reader.remaining == 0
    }
  }
}

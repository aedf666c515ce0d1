public import Core
import Foundation
import GRDB
public import Storage

/// The journal in `journal.db`, with synchronous FULL and one transaction for all queued requests.
public final class SQLiteJournal: Journal {
  public let node: NodeID
  let path: String
  let writer: DatabaseQueue
  /// A second connection, through which the digest reads records while the writer commits.
  let reader: DatabaseQueue
  /// Whether the journal belongs to an ingest node, which keeps the requests of its batches for the primary.
  let isOfNode: Bool
  let receipts: ReceiptBound
  /// Whether own and relayed records may be appended.
  let admission = JournalAdmission()
  // One for each connection, so that reading does not wait for the writer.
  let compressing = RecordCompression()
  private let decompressing = RecordCompression()
  let following = RecordCompression()

  /// Opens the journal. Its sequence is raised to the store's `watermark` of its node, so that no number is assigned
  /// twice. `mostReceipts`: the maximum number of idempotency keys per app; the oldest are deleted first. Throws
  /// `NodeJournalError` for an ingest node's journal, unless `isOfNode`.
  public init(
    path: String, mostReceipts: Int = 2_000_000, isOfNode: Bool = false, watermark: (NodeID) throws -> Int64
  ) throws {
    self.path = path
    self.isOfNode = isOfNode
    receipts = ReceiptBound(most: mostReceipts)
    writer = try Connections.queue(path, .full, cache: Connections.Cache.small)
    try Migrator.migrate(writer, steps: MigrationFiles.journal)
    reader = try DatabaseQueue(
      path: path, configuration: Connections.configuration(.full, cache: Connections.Cache.small))
    let writer = writer
    if try Connections.naming(path, { try !isOfNode && writer.read(RelayTable.isThere) }) {
      throw NodeJournalError(path: path)
    }
    let node = try Connections.naming(path) { try writer.write(Self.node) }
    self.node = node
    let floor = try watermark(node)
    try Connections.naming(path) { try writer.write { try Self.liftSequence(to: floor, in: $0) } }
    admission.note(try epoch())
  }

  public func append(_ pending: [PendingRecords]) throws -> Appended {
    try Connections.naming(path) {
      try writer.write { database in
        try admission.check()
        // Read each time, because `plumb import` may have written in the meantime.
        let last = try Self.lastSequence(in: database)
        let appended = try append(pending, after: last, in: database)
        try receipts.bound(pending.filter { $0.receipt != nil }.map(\.app), in: database)
        return appended
      }
    }
  }

  public func batches(after sequence: Int64, limit: Int) throws -> [JournalBatch] {
    try Connections.naming(path) {
      try reader.read { try batches(after: sequence, limit: limit, in: $0) }
    }
  }

  private func batches(after sequence: Int64, limit: Int, in database: Database) throws -> [JournalBatch] {
    var found: [JournalBatch] = []
    var bytes = 0
    let statement = try database.cachedStatement(
      sql: "SELECT first, count, records, dictionary, through FROM batch WHERE through > ? ORDER BY through")
    let rows = try Row.fetchCursor(statement, arguments: [sequence])
    var last = sequence
    while bytes < limit, let row = try rows.next() {
      let batch = try self.batch(row, after: last)
      bytes += batch.records.count + batch.damaged.count
      last = batch.through
      found.append(batch)
    }
    return found
  }

  /// The batch of a row. If it is damaged, its sequences are those between the adjacent batches.
  func batch(_ row: Row, after last: Int64) throws -> JournalBatch {
    let through: Int64 = try row.value(4)
    let stored = try row.withUnsafeData(atIndex: 2) { [UInt8]($0 ?? Data()) }
    let count = Int64(row.count(1))
    // `through` is the table's key, which is always an integer in SQLite.
    let isConsistent = (try? row.value(0, as: Int64.self)) == through - count + 1 && count > 0
    let first = isConsistent ? through - count + 1 : min(last + 1, through)
    let number = (try? row.value(3, as: Int.self)) ?? RecordCompression.current
    let records = try stored.withUnsafeBytes { try decompressing.records($0, dictionary: number) }
    return JournalBatch(
      first: first, count: Int(through - first + 1), records: records ?? [], damaged: records == nil ? stored : [])
  }

  public func lastSequence() throws -> Int64 { try reader.read { try Self.lastSequence(in: $0) } }

  public func purge(through sequence: Int64, olderThan: Timestamp, keepingAtMost bytes: Int) throws {
    try writer.write { database in
      try database.execute(
        sql: "DELETE FROM batch WHERE through <= ? AND received < ?", arguments: [sequence, olderThan.milliseconds])
      try Self.purgeOldest(through: sequence, keepingAtMost: bytes, in: database)
    }
    let oldest = Int64(Date().timeIntervalSince1970 * 1000) - ReceiptTable.lifetime
    for app in try reader.read({ try ReceiptTable($0).apps() }) {
      while try writer.write({ try ReceiptTable($0).drop(of: app, before: oldest) }) > 0 {}
    }
  }

  private static func node(_ database: Database) throws -> NodeID {
    if let known = try String.fetchOne(database, sql: "SELECT id FROM node") { return NodeID(known) }
    let fresh = NodeID.random()
    try database.execute(sql: "INSERT INTO node (id) VALUES (?)", arguments: [fresh.text])
    return fresh
  }

  static func lastSequence(in database: Database) throws -> Int64 {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'batch'")) ?? 0
  }

  static func liftSequence(to floor: Int64, in database: Database) throws {
    // A journal older than the store also has older positions of its ingest nodes. Each node continues from its own
    // position.
    if try lastSequence(in: database) < floor { try NodeTable(database).forgetAll() }
    let isNew = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_sequence WHERE name = 'batch'") == 0
    try database.execute(
      sql: isNew
        ? "INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'batch')"
        : "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'batch'", arguments: [floor])
  }

  func append(_ pending: [PendingRecords], after last: Int64, in database: Database) throws -> Appended {
    var records: [UInt8] = []
    records.reserveCapacity(pending.reduce(0) { $0 + $1.bytes.count })
    var outcomes: [AppendOutcome] = []
    outcomes.reserveCapacity(pending.count)
    var requests = isOfNode ? BatchRequestList() : nil
    var through = last
    for request in pending {
      if let receipt = request.receipt,
        let earlier = try ReceiptTable(database).claim(receipt, of: request, after: through)
      {
        outcomes.append(.duplicate(isReused: earlier != receipt.content))
        continue
      }
      through += Int64(request.count)
      records += request.bytes
      requests?.append(request)
      outcomes.append(.accepted(through: through))
    }
    guard through > last, let received = pending.first?.received else {
      return Appended(outcomes: outcomes, batch: nil)
    }
    let batch = JournalBatch(first: last + 1, count: Int(through - last), records: records)
    let stored = try insert(batch, received, in: database)
    if let requests { try requests.store(for: batch.through, in: database) }
    return Appended(outcomes: outcomes, batch: batch, storedBytes: stored)
  }

  /// Inserts a batch. Returns the size of the stored records, in bytes.
  private func insert(_ batch: JournalBatch, _ received: Timestamp, in database: Database) throws -> Int {
    let statement = try RawStatement(
      database,
      sql: "INSERT INTO batch (through, first, count, received, dictionary, records) VALUES (?, ?, ?, ?, ?, ?)")
    let frame = compressing.compress(batch.records)
    try statement.bind(batch.through, at: 1)
    try statement.bind(batch.first, at: 2)
    try statement.bind(Int64(batch.count), at: 3)
    try statement.bind(received.milliseconds, at: 4)
    try statement.bind(Int64(frame == nil ? RecordCompression.plain : RecordCompression.current), at: 5)
    // Bound without a copy: SQLite reads the original bytes.
    try (frame ?? batch.records).withUnsafeBytes { try statement.execute(with: $0, at: 6) }
    return (frame ?? batch.records).count
  }

  private static func purgeOldest(through: Int64, keepingAtMost bytes: Int, in database: Database) throws {
    let total = try Int.fetchOne(database, sql: "SELECT sum(length(records)) FROM batch") ?? 0
    var excess = total - bytes
    guard excess > 0 else { return }
    var cut: Int64 = 0
    let rows = try Row.fetchCursor(
      database, sql: "SELECT through, length(records) FROM batch WHERE through <= ? ORDER BY through",
      arguments: [through])
    while excess > 0, let row = try rows.next() {
      cut = try row.value(0)
      excess -= try row.value(1)
    }
    try database.execute(sql: "DELETE FROM batch WHERE through <= ?", arguments: [cut])
  }
}

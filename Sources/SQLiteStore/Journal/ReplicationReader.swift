import Core
import Foundation
import GRDB
public import Storage

/// Reads a primary's journal for its standbys, on a separate connection, so that neither the writer nor the digest
/// waits for it.
public final class ReplicationReader: Sendable {
  private let path: String
  private let database: DatabaseQueue

  /// Opens the journal at `path`. The first time, this creates the index by which the keys of records are found, for
  /// which writes wait: about a second for a million keys.
  public init(path: String) throws {
    self.path = path
    database = try Connections.queue(path, .full, cache: Connections.Cache.small)
    try Connections.naming(path) {
      try database.write { try $0.execute(sql: "CREATE INDEX IF NOT EXISTS receipt_through ON receipt (through)") }
    }
  }

  /// The batches after `position`: at least one if there are any, then more up to `limit` bytes. `check`: the checksum
  /// of the standby's last batch.
  public func read(after position: Int64, check: UInt64?, limit: Int) throws -> JournalReading {
    try Connections.naming(path) {
      try database.read { database in
        let last = try SQLiteJournal.lastSequence(in: database)
        guard position <= last else { return .diverged }
        let own = try SQLiteJournal.checksum(of: position, in: database)
        if let check, let own, check != own { return .diverged }
        let batches = try Self.batches(after: position, limit: limit, in: database)
        guard let end = batches.last?.through else {
          return position == last ? .excerpt(JournalExcerpt(end: try Self.end(last, database))) : .purged
        }
        // Sequences may have gaps, but then the batch before the gap is still there or was purged.
        if let first = batches.first?.first, first > position + 1, own == nil { return .purged }
        let isEnd = try Int.fetchOne(database, sql: "SELECT 1 FROM batch WHERE through > ? LIMIT 1", arguments: [end])
        return .excerpt(
          JournalExcerpt(
            batches: batches, keys: try Self.keys(after: position, through: end, in: database),
            end: isEnd == nil ? try Self.end(last, database) : nil))
      }
    }
  }

  private static func end(_ last: Int64, _ database: Database) throws -> JournalExcerpt.End {
    JournalExcerpt.End(last: last, nodes: try NodeTable(database).nodes())
  }

  private static func batches(
    after position: Int64, limit: Int, in database: Database
  ) throws -> [JournalExcerpt.Batch] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT first, through, received, dictionary, records, node, node_position FROM batch WHERE through > ?
        ORDER BY through
        """)
    let rows = try Row.fetchCursor(statement, arguments: [position])
    var (found, bytes): ([JournalExcerpt.Batch], Int) = ([], 0)
    while bytes < limit, let row = try rows.next() {
      let records = try row.withUnsafeData(atIndex: 4) { [UInt8]($0 ?? Data()) }
      var batch = JournalExcerpt.Batch(
        first: try row.value(0), through: try row.value(1), received: try row.value(2), dictionary: try row.value(3),
        records: records)
      if let node = try row.value(5, as: String?.self) {
        batch.origin = JournalExcerpt.Origin(node: NodeID(node), position: try row.value(6))
      }
      bytes += records.count
      found.append(batch)
    }
    return found
  }

  private static func keys(
    after position: Int64, through end: Int64, in database: Database
  ) throws -> [JournalExcerpt.Key] {
    let statement = try database.cachedStatement(
      sql: "SELECT app, key, content, received, through, count FROM receipt WHERE through > ? AND through <= ?")
    return try Row.fetchAll(statement, arguments: [position, end]).map { row in
      let (key, content): (Int64, Int64?) = (try row.value(1), try row.value(2))
      return JournalExcerpt.Key(
        app: try row.value(0),
        receipt: Receipt(key: UInt64(bitPattern: key), content: UInt64(bitPattern: content ?? 0)),
        received: try row.value(3), through: try row.value(4), count: try row.value(5))
    }
  }
}

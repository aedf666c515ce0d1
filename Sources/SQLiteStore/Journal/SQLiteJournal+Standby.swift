import Core
import Foundation
import GRDB
public import Storage

/// The journal of a standby.
extension SQLiteJournal {
  /// Makes the journal a copy of the one of `primary`: only `follow` appends to it.
  public func becomeStandby(of primary: String) { admission.refuse(StandbyIsReadOnly(primary: primary)) }

  /// The last sequence, and the checksum of the batch that ends with it; nil without one.
  public func followPosition() throws -> (last: Int64, check: UInt64?) {
    try Connections.naming(path) {
      try reader.read { database in
        let last = try Self.lastSequence(in: database)
        return (last, try Self.checksum(of: last, in: database))
      }
    }
  }

  /// A checksum of the batch that ends at `sequence`; nil if it is not stored.
  static func checksum(of sequence: Int64, in database: Database) throws -> UInt64? {
    let statement = try database.cachedStatement(
      sql: "SELECT first, records FROM batch WHERE through = ?")
    guard let row = try Row.fetchOne(statement, arguments: [sequence]) else { return nil }
    var hash = StableHash()
    hash.add(UInt64(bitPattern: try row.value(0, as: Int64.self)))
    let digest = try row.withUnsafeData(atIndex: 1) { MessageDigest.sha256($0 ?? Data()) }
    for byte in digest { hash.add(UInt64(byte)) }
    return hash.value
  }

  /// Appends what the primary's journal has after this one's end. Batches, keys and positions of ingest nodes change in
  /// one transaction, which is on disk when this returns. Returns the batches for the digest. Throws
  /// `StoreError.damaged` for an excerpt that does not follow.
  public func follow(_ excerpt: JournalExcerpt) throws -> [JournalBatch] {
    try Connections.naming(path) {
      try writer.write { database in
        var last = try Self.lastSequence(in: database)
        var batches: [JournalBatch] = []
        let nodes = NodeTable(database)
        for row in excerpt.batches {
          guard row.first > last, row.through >= row.first else { throw StoreError.damaged("excerpt after \(last)") }
          let count = row.through - row.first + 1
          try database.execute(
            sql: """
              INSERT INTO batch (through, first, count, received, dictionary, records, node, node_position)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?)
              """,
            arguments: [
              row.through, row.first, count, row.received, row.dictionary, Data(row.records), row.origin?.node.text,
              row.origin?.position,
            ])
          if let origin = row.origin { try nodes.advance(origin, at: Timestamp(milliseconds: row.received)) }
          batches.append(try batch(row))
          last = row.through
        }
        for key in excerpt.keys { try ReceiptTable(database).copy(key) }
        try receipts.bound(excerpt.keys.map(\.app), in: database)
        if let end = excerpt.end, end.last >= last {
          if end.last > last { try Self.liftSequence(to: end.last, in: database) }
          try nodes.forgetAll()
          for node in end.nodes { try nodes.store(node) }
        }
        return batches
      }
    }
  }

  private func batch(_ row: JournalExcerpt.Batch) throws -> JournalBatch {
    let records = try row.records.withUnsafeBytes {
      try following.records($0, dictionary: Int(clamping: row.dictionary))
    }
    return JournalBatch(
      first: row.first, count: Int(row.through - row.first + 1), records: records ?? [],
      damaged: records == nil ? row.records : [])
  }
}

extension NodeTable {
  /// Moves the position of a node forward. A node that is new gets its name with the end of the excerpt.
  fileprivate func advance(_ origin: JournalExcerpt.Origin, at now: Timestamp) throws {
    let known = try nodes().first { $0.id == origin.node }
    try store(
      IngestNode(id: origin.node, name: known?.name ?? origin.node.text, position: origin.position, heard: now))
  }
}

extension ReceiptTable {
  fileprivate func copy(_ key: JournalExcerpt.Key) throws {
    let statement = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO receipt (app, key, received, content, through, count) VALUES (?, ?, ?, ?, ?, ?)")
    try statement.execute(arguments: [
      key.app, Int64(bitPattern: key.receipt.key), key.received, Int64(bitPattern: key.receipt.content), key.through,
      key.count,
    ])
  }
}

import Core
import Foundation
import GRDB
import Ingest
import Storage

/// The table `quarantine`: records that ended the process, cannot be decoded or were refused, and damaged rows, with
/// their bytes for analysis.
struct QuarantineTable {
  private let database: Database

  /// The maximum number of entries; the oldest are deleted first. Their count is kept permanently.
  private static let most = 200
  /// The maximum number of bytes per entry.
  private static let mostBytes = 1 << 20

  init(_ database: Database) { self.database = database }

  func add(_ records: [QuarantinedRecord], of node: NodeID) throws {
    try add(records, node: node.text)
  }

  /// Adds damaged rows, which the same transaction deletes or replaces.
  func add(_ rows: [DamagedRow]) throws {
    try add(rows.map(\.record), node: nil)
  }

  /// Adds a note about the whole folder.
  func add(_ note: QuarantinedRecord) throws { try add([note], node: nil) }

  private func add(_ records: [QuarantinedRecord], node: String?) throws {
    guard !records.isEmpty else { return }
    let insert = try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO quarantine (node, sequence, app, received, set_aside, reason, record, count, place)
        VALUES (?, ?, ?, ?, unixepoch() * 1000, ?, ?, ?, ?)
        """)
    for record in records.suffix(Self.most) {
      try insert.execute(arguments: [
        node, record.sequence, record.app, record.received.milliseconds, record.reason,
        Data(record.record.prefix(Self.mostBytes)), record.count, record.place,
      ])
    }
    try database.execute(
      sql: """
        DELETE FROM quarantine WHERE rowid NOT IN (SELECT rowid FROM quarantine ORDER BY rowid DESC LIMIT ?)
        """, arguments: [Self.most])
  }

  /// Removes parts of an app's records from the entries, in `range` of a journal. Returns the number of changed
  /// entries, and of unreadable ones, whose content is unknown.
  func erase(
    _ filter: ErasedParts, of app: AppID, in range: ClosedRange<Int64>, of node: NodeID
  ) throws -> (changed: Int, unreadable: Int) {
    var (changed, unreadable) = (0, 0)
    let update = try database.cachedStatement(sql: "UPDATE quarantine SET record = ? WHERE rowid = ?")
    let entries = "SELECT rowid FROM quarantine WHERE coalesce(app, ?1) = ?1 AND length(record) > 0"
    for id in try Int64.fetchAll(database, sql: entries, arguments: [app]) {
      let row = try Row.fetchOne(
        database, sql: "SELECT record, place, sequence, coalesce(node, '') FROM quarantine WHERE rowid = ?",
        arguments: [id])
      guard let row else { continue }
      let bytes: Data = try row.value(0)
      guard try row.value(1, as: String.self).isEmpty else {
        unreadable += 1
        continue
      }
      guard try row.value(3) == node.text, range.contains(try row.value(2)) else { continue }
      do {
        let edited = try bytes.withUnsafeBytes { buffer in
          try RecordReader(buffer).app() == app ? RecordErasure.edit(buffer, filter) : nil
        }
        guard let edited else { continue }
        try update.execute(arguments: [Data(edited), id])
        changed += 1
      } catch is DamagedBytes {
        unreadable += 1
      }
    }
    return (changed, unreadable)
  }

  func newest(_ limit: Int) throws -> (records: [QuarantinedRecord], count: Int) {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT sequence, app, received, reason, record, set_aside, count, place FROM quarantine
        ORDER BY rowid DESC LIMIT ?
        """, arguments: [limit])
    let records = try rows.map { row in
      var record = QuarantinedRecord(
        sequence: try row.value(0), app: try row.value(1), received: Timestamp(milliseconds: try row.value(2)),
        reason: try row.value(3), record: [UInt8](try row.value(4, as: Data.self)))
      record.setAside = Timestamp(milliseconds: try row.value(5))
      record.count = row.count(6)
      record.place = try row.value(7)
      return record
    }
    return (records, try Int.fetchOne(database, sql: "SELECT count(*) FROM quarantine") ?? 0)
  }
}

extension DamagedRow {
  fileprivate var record: QuarantinedRecord {
    var record = QuarantinedRecord(
      sequence: 0, app: app, received: Timestamp(milliseconds: 0), reason: reason, record: bytes)
    record.place = place
    return record
  }
}

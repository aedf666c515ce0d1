import Foundation
import GRDB
import Storage
import Telemetry

/// The table `quarantine`: records that ended the process or that the store refused, unchanged, for analysis.
struct QuarantineTable {
  private let database: Database

  /// The most records that are kept; the oldest are deleted first. Their count is kept permanently.
  private static let most = 200

  init(_ database: Database) { self.database = database }

  func add(_ records: [QuarantinedRecord], of node: NodeID) throws {
    guard !records.isEmpty else { return }
    for record in records {
      try database.execute(
        sql: """
          INSERT OR REPLACE INTO quarantine (node, sequence, app, received, set_aside, reason, record)
          VALUES (?, ?, ?, ?, unixepoch() * 1000, ?, ?)
          """,
        arguments: [
          node.text, record.sequence, record.app, record.received.milliseconds, record.reason, Data(record.record),
        ])
    }
    try database.execute(
      sql: """
        DELETE FROM quarantine WHERE rowid NOT IN (SELECT rowid FROM quarantine ORDER BY rowid DESC LIMIT ?)
        """, arguments: [Self.most])
  }

  func newest(_ limit: Int) throws -> (records: [QuarantinedRecord], count: Int) {
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT sequence, app, received, reason, record, set_aside FROM quarantine ORDER BY rowid DESC LIMIT ?",
      arguments: [limit])
    let records = try rows.map { row in
      var record = QuarantinedRecord(
        sequence: try row.value(0), app: try row.value(1), received: Timestamp(milliseconds: try row.value(2)),
        reason: try row.value(3), record: [UInt8](try row.value(4, as: Data.self)))
      record.setAside = Timestamp(milliseconds: try row.value(5))
      return record
    }
    return (records, try Int.fetchOne(database, sql: "SELECT count(*) FROM quarantine") ?? 0)
  }
}

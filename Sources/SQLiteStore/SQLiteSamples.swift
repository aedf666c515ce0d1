import Foundation
import GRDB
import Migrations
import Storage
import Telemetry

/// `samples.db`: bodies and call stacks of diagnostics, bounded in bytes. The numbers do not need it: what is dropped here
/// stays counted.
public final class SQLiteSamples: Sendable {
  private let database: DatabaseQueue

  /// Opens or creates the database. An older schema is brought up to date.
  public init(path: String) throws {
    database = try Connections.queue(path, .normal)
    try Migrator.migrate(database, steps: Migrations.samples)
  }

  /// Keeps every diagnostic once, whatever part of them is there already.
  func keep(_ diagnostics: [DiagnosticRecord]) throws {
    try database.write { database in
      let insert = try database.cachedStatement(
        sql: """
          INSERT INTO sample (app, identity, kind, received, size, stored, calls, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET received = max(received, excluded.received)
          """)
      for record in diagnostics {
        try insert.execute(arguments: [
          record.key.app, Int64(bitPattern: record.identity), Int(record.kind.rawValue), record.received.milliseconds,
          record.bodySize, record.calls.count + record.body.count, Data(record.calls), Data(record.body),
        ])
      }
    }
  }

  /// The compressed JSON and call tree of a diagnostic; nil when it was dropped.
  func sample(of app: AppID, identity: UInt64) throws -> StoredSample? {
    try database.read { database in
      try Row.fetchOne(
        database, sql: "SELECT calls, body, size FROM sample WHERE app = ? AND identity = ?",
        arguments: [app, Int64(bitPattern: identity)]
      ).map { row in
        StoredSample(calls: [UInt8](row[0] as Data), body: [UInt8](row[1] as Data), size: row[2])
      }
    }
  }

  /// Drops the oldest until what is kept takes no more than `bytes`.
  public func bound(to bytes: Int) throws {
    try database.write { database in
      let total = try Int.fetchOne(database, sql: "SELECT sum(stored) FROM sample") ?? 0
      var excess = total - bytes
      guard excess > 0 else { return }
      var oldest: [Int64] = []
      let rows = try Row.fetchCursor(database, sql: "SELECT rowid, stored FROM sample ORDER BY received")
      while excess > 0, let row = try rows.next() {
        oldest.append(row[0])
        excess -= row[1]
      }
      for row in oldest { try database.execute(sql: "DELETE FROM sample WHERE rowid = ?", arguments: [row]) }
    }
  }
}

import Foundation
import GRDB
public import Storage
public import Telemetry

/// Records that are durable and not yet in the numbers, as another process sees them.
public struct JournalBacklog: Sendable, Equatable {
  public var records: Int64
  /// When the oldest of them was received.
  public var oldest: Timestamp

  /// Nil when nothing waits, or nothing was ever received. Reads only, beside a running server.
  public static func read(_ path: String, watermark: (NodeID) throws -> Int64) throws -> JournalBacklog? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let database = try DatabaseQueue(path: path, configuration: Connections.configuration(.full, readonly: true))
    guard let node = try database.read({ try String.fetchOne($0, sql: "SELECT id FROM node") }) else { return nil }
    let applied = try watermark(NodeID(node))
    return try database.read { db in
      let sql = "SELECT max(through), min(received) FROM batch WHERE through > ?"
      guard let row = try Row.fetchOne(db, sql: sql, arguments: [applied]), let last = row[0] as Int64?,
        let oldest = row[1] as Int64?
      else { return nil }
      return JournalBacklog(records: last - applied, oldest: Timestamp(milliseconds: oldest))
    }
  }
}

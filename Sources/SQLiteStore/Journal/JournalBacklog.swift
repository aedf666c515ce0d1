public import Core
import Foundation
import GRDB
public import Storage

/// The stored records that are not yet applied, determined without the server's live queue.
public struct JournalBacklog: Sendable, Equatable {
  public var records: Int64
  /// The time at which the oldest of the journal's records was received.
  public var oldest: Timestamp

  /// Reads the backlog; nil if there is none. It only reads, also while a server is running.
  public static func read(_ path: String, watermark: (NodeID) throws -> Int64) throws -> JournalBacklog? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let database = try Connections.readOnly(path, .full)
    guard let node = try database.read({ try String.fetchOne($0, sql: "SELECT id FROM node") }) else { return nil }
    let applied = try watermark(NodeID(node))
    return try database.read { db in
      let sql = "SELECT max(through), min(received) FROM batch WHERE through > ?"
      guard let row = try Row.fetchOne(db, sql: sql, arguments: [applied]), let last: Int64 = try row.value(0),
        let oldest: Int64 = try row.value(1)
      else { return nil }
      return JournalBacklog(records: last - applied, oldest: Timestamp(milliseconds: oldest))
    }
  }
}

internal import GRDB
public import Storage
public import Telemetry

extension SQLiteControlStore {
  /// Every token, in the order in which they were added.
  public func tokens() throws -> [AccessToken] {
    try database.read { try Row.fetchAll($0, sql: "SELECT * FROM read_token ORDER BY id").map(Self.token) }
  }

  /// Adds a token.
  public func addToken(name: String, hash: String, right: TokenRight, at now: Timestamp) throws -> AccessToken {
    guard User.isName(name) else {
      throw ControlError.invalid("\"\(name)\" is not a token name: letters, digits, and . _ - @ +, at most 64.")
    }
    return try change { db in
      guard try Row.fetchOne(db, sql: "SELECT 1 FROM read_token WHERE name = ?", arguments: [name]) == nil else {
        throw ControlError.tokenExists(name)
      }
      try db.execute(
        sql: "INSERT INTO read_token (name, hash, created, uploads, deletes) VALUES (?, ?, ?, ?, ?)",
        arguments: [name, hash, now.milliseconds, right == .upload, right == .delete])
      return AccessToken(
        id: Int32(truncatingIfNeeded: db.lastInsertedRowID), name: name, hash: hash, right: right, created: now)
    }
  }

  /// Removes a token.
  public func removeToken(named name: String) throws {
    try change { db in
      try db.execute(sql: "DELETE FROM read_token WHERE name = ?", arguments: [name])
      guard db.changesCount > 0 else { throw ControlError.noSuchToken(name) }
    }
  }

  /// Stores the time of a token's use, at most once a minute.
  public func markUsed(token: Int32, at now: Timestamp) throws {
    let sql = "SELECT last_used FROM read_token WHERE id = ?"
    let known = try database.read { try Int64.fetchOne($0, sql: sql, arguments: [token]) }
    if let known, now.milliseconds - known < 60_000 { return }
    try database.write {
      try $0.execute(
        sql: "UPDATE read_token SET last_used = max(coalesce(last_used, 0), ?) WHERE id = ?",
        arguments: [now.milliseconds, token])
    }
  }

  private static func token(_ row: Row) throws -> AccessToken {
    AccessToken(
      id: try row.value("id"), name: try row.value("name"), hash: try row.value("hash"),
      right: try row.value("deletes") ? .delete : row.value("uploads") ? .upload : .read,
      created: try row.time("created"),
      lastUsed: try row.time("last_used"))
  }
}

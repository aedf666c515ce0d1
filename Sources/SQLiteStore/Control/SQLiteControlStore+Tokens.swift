public import Core
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// Every token, in the order in which they were added.
  public func tokens() throws -> [AccessToken] {
    try database.read { db in
      var apps: [Int32: Set<AppID>] = [:]
      for row in try Row.fetchAll(db, sql: "SELECT token, app FROM token_app") {
        apps[try row.value(0), default: []].insert(try row.value(1))
      }
      return try Row.fetchAll(db, sql: "SELECT * FROM read_token ORDER BY id").map { row in
        try Self.token(row, apps: apps[try row.value("id")] ?? [])
      }
    }
  }

  /// Adds a token.
  public func addToken(_ token: AccessToken) throws -> AccessToken {
    guard User.isName(token.name) else {
      throw ControlError.invalid(
        "\"\(token.name)\" is not a token name: expected 1 to 64 letters, digits and . _ - @ +")
    }
    return try change { db in
      guard try Row.fetchOne(db, sql: "SELECT 1 FROM read_token WHERE name = ?", arguments: [token.name]) == nil else {
        throw ControlError.tokenExists(token.name)
      }
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM read_token") ?? 0
      guard count < ControlLimits.tokens else {
        throw ControlError.full(
          "There are already \(count) tokens. Remove unused ones with `plumb token remove`.")
      }
      try db.execute(
        sql: "INSERT INTO read_token (name, hash, created, rights, every_app, expires) VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [
          token.name, token.hash, token.created.milliseconds, token.rights.rawValue, token.apps == nil,
          token.expires?.milliseconds,
        ])
      let id = Int32(truncatingIfNeeded: db.lastInsertedRowID)
      for app in token.apps ?? [] {
        try db.execute(sql: "INSERT INTO token_app (token, app) VALUES (?, ?)", arguments: [id, app])
      }
      let names = try token.apps?.sorted().map { try Self.name(of: $0, in: db) }
      let detail = [
        token.rights.list, names.map { "for " + $0.joined(separator: ", ") }, token.expires.map { "until \($0.iso)" },
      ]
      try note(
        AuditEvent(
          "token.add", app: names?.count == 1 ? names?.first : nil, subject: token.name,
          detail: detail.compactMap { $0 }.joined(separator: "; ")), in: db)
      return AccessToken(
        id: id, name: token.name, hash: token.hash, rights: token.rights, apps: token.apps, created: token.created,
        expires: token.expires)
    }
  }

  /// Removes a token.
  public func removeToken(named name: String) throws {
    try change { db in
      try db.execute(sql: "DELETE FROM read_token WHERE name = ?", arguments: [name])
      guard db.changesCount > 0 else { throw ControlError.noSuchToken(name) }
      try note(AuditEvent("token.remove", subject: name), in: db)
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

  private static func token(_ row: Row, apps: Set<AppID>) throws -> AccessToken {
    AccessToken(
      id: try row.value("id"), name: try row.value("name"), hash: try row.value("hash"),
      rights: AccessRights(rawValue: try row.value("rights")), apps: try row.value("every_app") ? nil : apps,
      created: try row.time("created"), expires: try row.time("expires"), lastUsed: try row.time("last_used"))
  }
}

public import Core
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// Stores a login. Deletes expired logins, and the oldest ones of a user beyond the limit.
  public func openLogin(_ session: LoginSession, at now: Timestamp) throws {
    try database.write { db in
      try db.execute(sql: "DELETE FROM login WHERE expires <= ?", arguments: [now.milliseconds])
      guard try Row.fetchOne(db, sql: "SELECT 1 FROM user WHERE name = ?", arguments: [session.user]) != nil else {
        throw ControlError.noSuchUser(session.user)
      }
      try db.execute(
        sql: """
          INSERT OR REPLACE INTO login (id_hash, user, expires, created, last_used, client) VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          session.idHash, session.user, session.expires.milliseconds, session.created?.milliseconds,
          session.lastUsed?.milliseconds, SanitizedText.name(session.client, atMost: 120),
        ])
      try db.execute(
        sql: """
          DELETE FROM login WHERE user = :user AND id_hash NOT IN (
            SELECT id_hash FROM login WHERE user = :user
            ORDER BY id_hash = :new DESC, coalesce(last_used, created, 0) DESC LIMIT :most)
          """,
        arguments: ["user": session.user, "new": session.idHash, "most": ControlLimits.loginsOfUser])
    }
  }

  /// The login with this hash of its cookie's id, unless it has expired.
  public func login(idHash: String, at now: Timestamp) throws -> LoginSession? {
    try database.read { db in
      let sql = "SELECT * FROM login WHERE id_hash = ? AND expires > ?"
      return try Row.fetchOne(db, sql: sql, arguments: [idHash, now.milliseconds]).map(Self.login)
    }
  }

  /// The logins of a user, or of all users, that have not expired; newest first.
  public func logins(of user: String?, at now: Timestamp) throws -> [LoginSession] {
    try database.read { db in
      let sql = """
        SELECT * FROM login WHERE expires > :now AND (:user IS NULL OR user = :user)
        ORDER BY coalesce(created, 0) DESC, id_hash LIMIT 10000
        """
      return try Row.fetchAll(db, sql: sql, arguments: ["now": now.milliseconds, "user": user]).map(Self.login)
    }
  }

  /// Stores the time of a login's use, at most every five minutes.
  public func markUsed(login: LoginSession, at now: Timestamp) throws {
    if let known = login.lastUsed, now.milliseconds - known.milliseconds < 300_000 { return }
    try database.write {
      try $0.execute(
        sql: "UPDATE login SET last_used = max(coalesce(last_used, 0), ?) WHERE id_hash = ?",
        arguments: [now.milliseconds, login.idHash])
    }
  }

  /// Ends a login.
  public func closeLogin(idHash: String) throws {
    try database.write { try $0.execute(sql: "DELETE FROM login WHERE id_hash = ?", arguments: [idHash]) }
  }

  /// Ends all logins of a user, or one of them, and returns their number.
  public func endLogins(of user: String, id: String?) throws -> Int {
    try database.write { db in
      try db.execute(
        sql: "DELETE FROM login WHERE user = :user AND (:id IS NULL OR substr(id_hash, 1, 12) = :id)",
        arguments: ["user": user, "id": id])
      let count = db.changesCount
      if count > 0 {
        let detail = count == 1 ? "1 login ended" : "\(count) logins ended"
        try note(AuditEvent("user.logout", subject: user, detail: detail), in: db)
      }
      return count
    }
  }

  private static func login(_ row: Row) throws -> LoginSession {
    LoginSession(
      idHash: try row.value("id_hash"), user: try row.value("user"), expires: try row.time("expires"),
      created: try row.time("created"), lastUsed: try row.time("last_used"), client: try row.value("client"))
  }
}

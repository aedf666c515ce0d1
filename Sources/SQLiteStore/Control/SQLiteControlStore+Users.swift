internal import GRDB
public import Storage
public import Telemetry

extension SQLiteControlStore {
  /// Every user, sorted by name.
  public func users() throws -> [User] {
    try database.read { try Row.fetchAll($0, sql: "SELECT * FROM user ORDER BY name").map(Self.user) }
  }

  /// The user with this name regardless of case; nil when there is none.
  public func user(named name: String) throws -> User? {
    try database.read {
      try Row.fetchOne($0, sql: "SELECT * FROM user WHERE name = ?", arguments: [name]).map(Self.user)
    }
  }

  /// Adds a user, or changes the password and ends the user's logins.
  public func saveUser(_ user: User) throws {
    guard User.isName(user.name) else {
      throw ControlError.invalid("\"\(user.name)\" is not a user name: letters, digits, and . _ - @ +, at most 64.")
    }
    try change { db in
      try db.execute(sql: "DELETE FROM login WHERE user = ?", arguments: [user.name])
      try db.execute(
        sql: """
          INSERT INTO user (name, password_hash, created) VALUES (?, ?, ?)
          ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash
          """, arguments: [user.name, user.passwordHash, user.created.milliseconds])
    }
  }

  /// Removes a user with all logins.
  public func removeUser(named name: String) throws {
    try change { db in
      try db.execute(sql: "DELETE FROM user WHERE name = ?", arguments: [name])
      guard db.changesCount > 0 else { throw ControlError.noSuchUser(name) }
    }
  }

  /// Stores a login and deletes expired ones.
  public func openLogin(_ session: LoginSession, at now: Timestamp) throws {
    try database.write { db in
      try db.execute(sql: "DELETE FROM login WHERE expires <= ?", arguments: [now.milliseconds])
      guard try Row.fetchOne(db, sql: "SELECT 1 FROM user WHERE name = ?", arguments: [session.user]) != nil else {
        throw ControlError.noSuchUser(session.user)
      }
      try db.execute(
        sql: "INSERT OR REPLACE INTO login (id_hash, user, expires) VALUES (?, ?, ?)",
        arguments: [session.idHash, session.user, session.expires.milliseconds])
    }
  }

  /// The login with this hash of its cookie's id, unless it has expired.
  public func login(idHash: String, at now: Timestamp) throws -> LoginSession? {
    try database.read { db in
      let sql = "SELECT * FROM login WHERE id_hash = ? AND expires > ?"
      return try Row.fetchOne(db, sql: sql, arguments: [idHash, now.milliseconds]).map {
        LoginSession(idHash: try $0.value("id_hash"), user: try $0.value("user"), expires: try $0.time("expires"))
      }
    }
  }

  /// Ends a login.
  public func closeLogin(idHash: String) throws {
    try database.write { try $0.execute(sql: "DELETE FROM login WHERE id_hash = ?", arguments: [idHash]) }
  }

  private static func user(_ row: Row) throws -> User {
    User(name: try row.value("name"), passwordHash: try row.value("password_hash"), created: try row.time("created"))
  }
}

// MARK: Tokens

extension SQLiteControlStore {
  /// Every token, in the order in which they were added.
  public func tokens() throws -> [ReadToken] {
    try database.read { try Row.fetchAll($0, sql: "SELECT * FROM read_token ORDER BY id").map(Self.token) }
  }

  /// Adds a token.
  public func addToken(name: String, hash: String, right: TokenRight, at now: Timestamp) throws -> ReadToken {
    guard User.isName(name) else {
      throw ControlError.invalid("\"\(name)\" is not a token name: letters, digits, and . _ - @ +, at most 64.")
    }
    return try change { db in
      guard try Row.fetchOne(db, sql: "SELECT 1 FROM read_token WHERE name = ?", arguments: [name]) == nil else {
        throw ControlError.tokenExists(name)
      }
      try db.execute(
        sql: "INSERT INTO read_token (name, hash, created, uploads) VALUES (?, ?, ?, ?)",
        arguments: [name, hash, now.milliseconds, right == .upload])
      return ReadToken(
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

  private static func token(_ row: Row) throws -> ReadToken {
    ReadToken(
      id: try row.value("id"), name: try row.value("name"), hash: try row.value("hash"),
      right: try row.value("uploads") ? .upload : .read, created: try row.time("created"),
      lastUsed: try row.time("last_used"))
  }
}

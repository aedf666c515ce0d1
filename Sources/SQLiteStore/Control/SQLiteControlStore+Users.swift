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

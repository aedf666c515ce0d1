internal import Core
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// Every user, sorted by name.
  public func users() throws -> [User] { try database.read { try Self.users($0, "1 ORDER BY name") } }

  /// The user with this name, compared without case; nil when there is none.
  public func user(named name: String) throws -> User? {
    try database.read { try Self.users($0, "name = ?", [name]).first }
  }

  /// The user with this provider id; nil when there is none.
  public func user(identity: String) throws -> User? {
    try database.read { try Self.users($0, "identity = ?", [identity]).first }
  }

  /// Adds a user, or replaces password, identity and roles of an existing one.
  public func saveUser(_ user: User, force: Bool) throws { try save(user, force: force) { _ in } }

  /// Saves a user in one transaction if the stored user is still `known`.
  public func saveUser(_ user: User, replacing known: User?, force: Bool) throws {
    try save(user, force: force) { stored in
      guard stored == known else { throw ControlError.userChanged(user.name) }
    }
  }

  private func save(_ user: User, force: Bool, check: (User?) throws -> Void) throws {
    guard User.isName(user.name) else {
      throw ControlError.invalid("\"\(user.name)\" is not a user name: expected 1 to 64 letters, digits and . _ - @ +")
    }
    try change { db in
      let old = try Self.users(db, "name = ?", [user.name]).first
      try check(old)
      let name = old?.name ?? user.name
      try keepingAdmin(name, force: force, in: db) {
        try db.execute(
          sql: """
            INSERT INTO user (name, password_hash, identity, role, provider_roles, created) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash, identity = excluded.identity,
              role = excluded.role, provider_roles = excluded.provider_roles
            """,
          arguments: [
            name, user.passwordHash ?? "", user.identity, user.roles.everywhere?.rawValue, user.hasRolesOfProvider,
            user.created.milliseconds,
          ])
        try db.execute(sql: "DELETE FROM user_role WHERE user = ?", arguments: [name])
        for (app, role) in user.roles.apps {
          try db.execute(
            sql: "INSERT INTO user_role (user, app, role) VALUES (?, ?, ?)", arguments: [name, app, role.rawValue])
        }
      }
      if let old, old.passwordHash != user.passwordHash || (old.identity != nil && old.identity != user.identity) {
        try db.execute(sql: "DELETE FROM login WHERE user = ?", arguments: [name])
      }
      try noteChange(of: name, from: old, to: user, in: db)
    }
  }

  private func noteChange(of name: String, from old: User?, to new: User, in db: Database) throws {
    let roles = try Self.text(new.roles, in: db)
    guard let old else { return try note(AuditEvent("user.add", subject: name, detail: roles), in: db) }
    if old.passwordHash != new.passwordHash {
      let detail = new.passwordHash == nil ? "removed; signs in with the provider" : ""
      try note(AuditEvent("user.password", subject: name, detail: detail), in: db)
    }
    if old.identity != new.identity { try note(AuditEvent("user.identity", subject: name), in: db) }
    if old.roles != new.roles || old.hasRolesOfProvider != new.hasRolesOfProvider {
      let detail = roles + (new.hasRolesOfProvider ? ", from the provider's groups" : "")
      try note(AuditEvent("user.role", subject: name, detail: detail), in: db)
    }
  }

  /// The roles as readable text: `reader; editor on com.example.shop`.
  private static func text(_ roles: RoleGrants, in db: Database) throws -> String {
    let single = try roles.apps.sorted { $0.key < $1.key }.map { "\($0.value) on \(try name(of: $0.key, in: db))" }
    let all = (roles.everywhere.map { [$0.rawValue] } ?? []) + single
    return all.isEmpty ? "no role" : all.joined(separator: "; ")
  }

  /// Removes a user with all logins.
  public func removeUser(named name: String, force: Bool) throws {
    try change { db in
      try keepingAdmin(name, force: force, in: db) {
        try db.execute(sql: "DELETE FROM user WHERE name = ?", arguments: [name])
        guard db.changesCount > 0 else { throw ControlError.noSuchUser(name) }
      }
      try note(AuditEvent("user.remove", subject: name), in: db)
    }
  }

  /// Makes a change. Throws `lastAdmin`, which rolls the transaction back, if the change removed the last
  /// administrator.
  private func keepingAdmin(_ name: String, force: Bool, in db: Database, _ change: () throws -> Void) throws {
    let sql = "SELECT count(*) FROM user WHERE role = ?"
    let before = try Int.fetchOne(db, sql: sql, arguments: [Role.admin.rawValue]) ?? 0
    try change()
    let after = try Int.fetchOne(db, sql: sql, arguments: [Role.admin.rawValue]) ?? 0
    guard force || before == 0 || after > 0 else { throw ControlError.lastAdmin(name) }
  }

  private static func users(
    _ db: Database, _ condition: String, _ arguments: StatementArguments = []
  ) throws -> [User] {
    try Row.fetchAll(db, sql: "SELECT * FROM user WHERE \(condition)", arguments: arguments).map { row in
      let name: String = try row.value("name")
      let single = try Row.fetchAll(db, sql: "SELECT app, role FROM user_role WHERE user = ?", arguments: [name])
      let apps = try single.map { (try $0.value("app", as: AppID.self), try role($0)) }
      let hash: String = try row.value("password_hash")
      return User(
        name: name, passwordHash: hash.isEmpty ? nil : hash, identity: try row.value("identity"),
        roles: RoleGrants(
          everywhere: try row.value("role", as: String?.self).map { _ in try role(row) },
          apps: Dictionary(apps) { first, _ in first }),
        hasRolesOfProvider: try row.value("provider_roles"), created: try row.time("created"))
    }
  }

  private static func role(_ row: Row) throws -> Role {
    let name: String = try row.value("role")
    guard let role = Role(rawValue: name) else { throw StoreError.damaged("role: \(name)") }
    return role
  }
}

public import Core
import Foundation
import GRDB
public import Storage

/// The store of apps, users, tokens, silences and alerts in SQLite: `control.db` of a data folder.
///
/// Changes are on disk before a call returns (synchronous FULL). Several processes may open it.
public final class SQLiteControlStore: ControlStore {
  /// The file's name in a data folder.
  static let fileName = "control.db"

  let database: DatabaseQueue
  /// The actor of the changes, for the audit log.
  let actor: Actor
  let clock: @Sendable () -> Timestamp

  /// Opens or creates the database in `folder`, which must exist.
  ///
  /// A new database gets the current schema. An existing one is migrated only if `migrates` is true; otherwise
  /// `SchemaError.behind` is thrown. `isReadOnly`: whether changes throw, as in the folder of a standby. `clock`: the
  /// time for the audit log; the system's by default.
  public init(
    folder: String, migrates: Bool = false, isReadOnly: Bool = false,
    clock: @escaping @Sendable () -> Timestamp = SQLiteControlStore.wallClock
  ) throws {
    actor = Self.machineUser()
    self.clock = clock
    let path = folder + "/" + Self.fileName
    try Self.createPrivateFile(at: path)
    database = try Self.open(path)
    // GRDB uses synchronous NORMAL with WAL, which may lose the last change in a power failure.
    try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    switch try Migrator.state(of: database, steps: MigrationFiles.control) {
    case .current: break
    case .behind(let missing) where !migrates: throw SchemaError.behind(missing)
    case .empty, .behind: try Migrator.migrate(database, steps: MigrationFiles.control)
    }
    if isReadOnly { try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = ON") } }
  }

  /// Whether an error is the refusal of a change of a store that was opened with `isReadOnly`.
  public static func isReadOnly(_ error: any Error) -> Bool {
    (error as? DatabaseError)?.resultCode == .SQLITE_READONLY
  }

  /// Replaces the whole content with that of the database at `path`, in one transaction. Others see the old or the new
  /// content. Throws `SchemaError` for a database of another version.
  public func replaceContent(with path: String) throws {
    let source = try Connections.readOnly(path, .full)
    guard try Migrator.state(of: source, steps: MigrationFiles.control) == .current else { throw SchemaError.foreign }
    try source.backup(to: database)
  }

  init(_ database: DatabaseQueue, _ actor: Actor, _ clock: @escaping @Sendable () -> Timestamp) {
    (self.database, self.actor, self.clock) = (database, actor, clock)
  }

  /// The system's time.
  public static let wallClock: @Sendable () -> Timestamp = {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  /// A number that grows with every change of apps, keys, users and tokens.
  public func version() throws -> Int64 {
    try database.read { try Int64.fetchOne($0, sql: "SELECT version FROM control_version") ?? 0 }
  }

  /// Runs `body` in a transaction that increments the version, by which other processes detect the change.
  func change<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try database.write { db in
      let value = try body(db)
      try db.execute(sql: "UPDATE control_version SET version = version + 1")
      return value
    }
  }

  /// Opens the database and waits up to five seconds. SQLite does not wait for the lock when it changes the journal
  /// mode, which happens if several processes open a new file at once.
  private static func open(_ path: String) throws -> DatabaseQueue {
    for _ in 0..<250 {
      do {
        return try DatabaseQueue(path: path, configuration: configuration)
      } catch DatabaseError.SQLITE_BUSY {
        usleep(20_000)
      }
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(5)
    configuration.label = "control"
    // Set before the first table is created, so that the file can shrink.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    return configuration
  }

  /// Creates the file before SQLite does, because SQLite makes files readable by all users. Journals get the
  /// permissions of the database.
  ///
  /// An existing file is not opened here: closing it again would release the locks that this process holds on it.
  private static func createPrivateFile(at path: String) throws {
    let file = Foundation.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
    } else if errno != EEXIST {
      throw ControlError.invalid("\(path) cannot be created: \(String(cString: strerror(errno))).")
    } else if chmod(path, 0o600) != 0 {
      throw ControlError.invalid("\(path) cannot be made private: \(String(cString: strerror(errno))).")
    }
  }
}

extension SQLiteControlStore: WrittenAmounts {
  /// The amounts written on a day, by app.
  public func written(on day: CalendarDay) throws -> [AppID: DailyQuotaUsage] {
    try database.read { db in
      var found: [AppID: DailyQuotaUsage] = [:]
      for row in try Row.fetchAll(db, sql: "SELECT app, rows FROM rows_written WHERE day = ?", arguments: [day.number])
      { found[try row.value(0), default: DailyQuotaUsage()].rows = try row.value(1) }
      for row in try Row.fetchAll(
        db, sql: "SELECT app, bytes FROM bytes_written WHERE day = ?", arguments: [day.number])
      { found[try row.value(0), default: DailyQuotaUsage()].bytes = try row.value(1) }
      return found
    }
  }

  /// Stores the amounts written on a day and deletes those of earlier days. The version does not change.
  public func remember(_ written: [AppID: DailyQuotaUsage], on day: CalendarDay) throws {
    try database.write { db in
      for (table, column) in [("rows_written", "rows"), ("bytes_written", "bytes")] {
        try db.execute(sql: "DELETE FROM \(table) WHERE day < ?", arguments: [day.number])
        for (app, amount) in written {
          try db.execute(
            sql: "INSERT OR REPLACE INTO \(table) (day, app, \(column)) VALUES (?, ?, ?)",
            arguments: [day.number, app, column == "rows" ? amount.rows : amount.bytes])
        }
      }
    }
  }
}

/// The limits of `control.db`.
enum ControlLimits {
  /// The maximum number of audit entries about groups and silences. The oldest entries of the actor with the most are
  /// deleted.
  static let auditDecisions: Int64 = 100_000
  /// The maximum number of these entries per actor. The oldest are deleted.
  static let auditDecisionsOfActor: Int64 = 10_000
  /// The age at which entries are deleted.
  static let auditDays: Int64 = 400
  /// The maximum number of logins per user. The least recently used ones end.
  static let loginsOfUser = 100
  /// The maximum number of active silences per app, and of silences for all apps.
  static let silencesOfApp = 1000
  /// The number of days for which ended silences are kept.
  static let endedSilenceDays: Int64 = 90
  /// The maximum number of groups per app with a decision, and with a note.
  static let decidedGroupsOfApp = 20_000
  /// The maximum number of tokens.
  static let tokens = 1000
}

extension SQLiteControlStore {
  /// Makes apps, keys and tokens equal to those of another installation, with the same app ids, in one transaction. For
  /// ingest nodes, whose primary has checked them.
  public func copy(apps: [App], tokens: [AccessToken]) throws {
    try change { db in
      try db.execute(sql: "DELETE FROM ingest_key")
      try db.execute(sql: "DELETE FROM read_token")
      // A bundle identifier may have another id than before.
      try db.execute(sql: "DELETE FROM app")
      for app in apps {
        try db.execute(
          sql: """
            INSERT INTO app (id, bundle_id, created, time_zone, keeps_exception_text, own_binaries, attribute)
            VALUES (?, ?, ?, ?, ?, '', ?)
            """,
          arguments: [
            app.id, app.bundleID, app.created.milliseconds, app.settings.timeZone, app.settings.keepsExceptionText,
            Self.text(ofAttributes: app.settings.attributes),
          ])
        for key in app.keys {
          try db.execute(
            sql: "INSERT INTO ingest_key (key, app, created, retires) VALUES (?, ?, ?, ?)",
            arguments: [key.key, app.id, key.created.milliseconds, key.retires?.milliseconds])
        }
      }
      for token in tokens {
        try db.execute(
          sql: "INSERT INTO read_token (name, hash, created, rights, every_app, expires) VALUES (?, ?, ?, ?, 1, ?)",
          arguments: [
            token.name, token.hash, token.created.milliseconds, token.rights.rawValue, token.expires?.milliseconds,
          ])
      }
    }
  }
}

extension SQLiteControlStore {
  /// The bundle identifier of an app; its id if the app was removed.
  static func name(of app: AppID, in db: Database) throws -> String {
    try String.fetchOne(db, sql: "SELECT bundle_id FROM app WHERE id = ?", arguments: [app]) ?? "app \(app)"
  }

  /// The user of this machine that runs the process: `root`, or `root, by sudo of ana`.
  static func machineUser() -> Actor {
    let id = getuid()
    let name = getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "uid \(id)"
    guard let caller = ProcessInfo.processInfo.environment["SUDO_USER"], !caller.isEmpty else {
      return Actor(.command, name)
    }
    return Actor(.command, "\(name), by sudo of \(caller)")
  }

  /// Canonical JSON: equal values give equal texts.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decoded<Value: Decodable>(_ json: String, _: Value.Type) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
  }
}

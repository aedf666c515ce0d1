internal import Foundation
internal import GRDB
internal import Migrations
public import Storage
public import Telemetry

/// `control.db` of a data folder.
///
/// Durable before it answers (synchronous FULL). Several processes may have it open.
public final class SQLiteControlStore: ControlStore {
  /// The file's name in a data folder.
  public static let fileName = "control.db"

  let database: DatabaseQueue

  /// Opens or creates the database in `folder`, which must exist.
  ///
  /// A new database gets the schema of this binary. An existing one is migrated only when `migrates` is set; otherwise
  /// `SchemaError.behind` is thrown.
  public init(folder: String, migrates: Bool = false) throws {
    let path = folder + "/" + Self.fileName
    try Self.createPrivateFile(at: path)
    database = try Self.open(path)
    // GRDB opens WAL with synchronous NORMAL, which may lose the last change at a power cut.
    try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    switch try Migrator.state(of: database, steps: Migrations.control) {
    case .current: break
    case .behind(let missing) where !migrates: throw SchemaError.behind(missing)
    case .empty, .behind: try Migrator.migrate(database, steps: Migrations.control)
    }
  }

  /// Grows with every change of apps, keys, users and tokens.
  public func version() throws -> Int64 {
    try database.read { try Int64.fetchOne($0, sql: "SELECT version FROM control_version") ?? 0 }
  }

  /// Runs `body` in a transaction that other processes see as one change.
  func change<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try database.write { db in
      let value = try body(db)
      try db.execute(sql: "UPDATE control_version SET version = version + 1")
      return value
    }
  }

  /// SQLite does not wait for the lock when it changes the journal mode, which the first of several processes that open a
  /// new file at once does. So this waits, up to five seconds.
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
    return configuration
  }

  /// Created before SQLite opens it, because a file that SQLite creates is readable by everybody. The journals follow it.
  ///
  /// An existing file is not opened here: closing it again would drop the locks this process holds on it.
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

extension SQLiteControlStore: RowLedger {
  /// The rows that each app wrote on a day.
  public func rowsWritten(on day: CalendarDay) throws -> [AppID: Int] {
    try database.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT app, rows FROM rows_written WHERE day = ?", arguments: [day.number])
      return try rows.reduce(into: [:]) { found, row in found[try row.value(0)] = try row.value(1, as: Int.self) }
    }
  }

  /// Stores the rows of a day, and deletes the days before it. `version` does not grow.
  public func rememberRows(_ rows: [AppID: Int], on day: CalendarDay) throws {
    try database.write { db in
      try db.execute(sql: "DELETE FROM rows_written WHERE day < ?", arguments: [day.number])
      for (app, count) in rows {
        try db.execute(
          sql: "INSERT OR REPLACE INTO rows_written (day, app, rows) VALUES (?, ?, ?)",
          arguments: [day.number, app, count])
      }
    }
  }
}

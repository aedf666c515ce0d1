import Core
import Foundation
import GRDB

/// A database of the data folder.
public enum DataFolderDatabase: String, CaseIterable, Sendable {
  case plumb = "plumb.db"
  case samples = "samples.db"
  case journal = "journal.db"
  case control = "control.db"

  /// The ends of the names of the files that SQLite keeps beside a database. They belong to its content: one that
  /// remained beside another database would damage it.
  public static let companions = ["-wal", "-shm", "-journal"]

  /// The migrations for a database of this kind.
  private func steps(of queue: DatabaseQueue) throws -> [Migrator.Step] {
    switch self {
    case .plumb: try queue.read(Migrator.isLedger) ? MigrationFiles.plumb + MigrationFiles.ledger : MigrationFiles.plumb
    case .samples: MigrationFiles.samples
    case .journal: MigrationFiles.journal
    case .control: MigrationFiles.control
    }
  }

  /// Whether the database at `path` lacks migrations of this version. False for a new one. Throws `SchemaError` for a
  /// database that a newer version has written.
  public func isOlder(at path: String) throws -> Bool {
    try Self.read(path) { database in
      if case .behind = try Migrator.state(of: database, steps: try steps(of: database)) { true } else { false }
    }
  }

  /// The name of the last migration of the database at `path`; nil for an empty file.
  public func lastMigration(at path: String) throws -> String? {
    try Self.read(path) { queue in
      _ = try Migrator.state(of: queue, steps: try steps(of: queue))
      // A view in place of a table would run SQL from an untrusted file. Other views, such as an operator's, are not
      // read.
      let replaced = try queue.read {
        try Set(
          String.fetchAll($0, sql: "SELECT name FROM sqlite_schema WHERE type = 'view' OR sql LIKE 'CREATE VIRTUAL%'"))
      }
      guard replaced.isDisjoint(with: Self.tablesOfOthers + CheckedTable.all.map(\.name)) else {
        throw SchemaError.foreign
      }
      return try queue.read { database in
        guard try database.tableExists("migration") else { return nil }
        return try String.fetchOne(database, sql: "SELECT name FROM migration ORDER BY position DESC LIMIT 1")
      }
    }
  }

  /// The tables that `verify` reads in addition to those of `CheckedTable`.
  private static let tablesOfOthers = [
    "batch", "behind", "ledger", "migration", "node", "quarantine", "receipt", "row_count", "sample", "stack",
    "watermark",
  ]

  /// Opens the database for reading. Errors name the file.
  static func read<Value>(_ path: String, _ body: (DatabaseQueue) throws -> Value) throws -> Value {
    try Connections.naming(path) {
      // SQLite would report a missing file only at the first read.
      guard FileManager.default.fileExists(atPath: path) else {
        throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
      }
      return try body(Connections.readOnly(path))
    }
  }
}

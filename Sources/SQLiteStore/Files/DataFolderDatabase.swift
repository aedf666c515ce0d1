import Core
import Foundation
import GRDB

/// A database of the data folder.
public enum DataFolderDatabase: String, CaseIterable, Sendable {
  case plumb = "plumb.db"
  case samples = "samples.db"
  case journal = "journal.db"
  case control = "control.db"

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

  /// The faults that SQLite finds in the database at `path`, at most `limit`; empty if there are none. It reads the
  /// whole file.
  public static func faults(at path: String, limit: Int = 20) throws -> [String] {
    try read(path) { queue in
      try queue.read { database in
        let found = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(limit))").filter { $0 != "ok" }
        guard found.isEmpty, try !Row.fetchAll(database, sql: "PRAGMA foreign_key_check").isEmpty else { return found }
        return ["rows refer to rows that do not exist"]
      }
    }
  }

  /// The first fault of the pages of the database at `path`; nil if there is none. It reads the whole file, but does
  /// not compare indexes with their tables.
  public static func damage(at path: String) throws -> String? {
    do {
      return try read(path) { queue in
        let found = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } ?? "ok"
        // The first line names the database.
        return found == "ok" ? nil : found.split(separator: "\n").last.map(String.init) ?? found
      }
    } catch let error as DatabaseFileError where error.isDamage {
      return "\(error)"
    }
  }

  /// Copies the database at `path`, in a consistent state, to the new file `target`. Others may read and write it in
  /// the meantime. The copy needs no other file, and is on disk when this returns.
  ///
  /// `progress`: receives the number of bytes copied by each step.
  public static func copy(_ path: String, to target: String, progress: @escaping (Int) -> Void = { _ in }) throws {
    try read(path) { source in
      try Connections.naming(target) {
        let copy = try DatabaseQueue(path: target, configuration: Connections.configuration(.normal))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
        try copy.writeWithoutTransaction { destination in
          try Connections.naming(path) {
            try source.read { database in
              // A first read fixes the state that all steps copy.
              let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
              _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
              var left: Int?
              try database.backup(to: destination, pagesPerStep: 2_000) { step in
                progress(((left ?? step.totalPageCount) - step.remainingPageCount) * pageSize)
                left = step.remainingPageCount
              }
            }
          }
          try destination.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        try copy.close()
      }
    }
    try DurableFile.sync(target)
  }

  /// Opens the database for reading. Errors name the file.
  static func read<Value>(_ path: String, _ body: (DatabaseQueue) throws -> Value) throws -> Value {
    try Connections.naming(path) {
      // SQLite would report a missing file only at the first read.
      guard FileManager.default.fileExists(atPath: path) else {
        throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
      }
      return try body(DatabaseQueue(path: path, configuration: Connections.configuration(.normal, readonly: true)))
    }
  }
}

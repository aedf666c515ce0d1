package import GRDB

/// Brings a database to the schema of this binary.
///
/// The names of applied steps stand in the table `migration`, in order. All that are missing are applied in one
/// transaction: a crash leaves the database as it was, and no other process sees it between two steps.
///
/// GRDB's `DatabaseMigrator` is not used because it records steps in a table of its own, `grdb_migrations`. Versions of
/// Plumb in use read `migration` to refuse a schema that is newer than they are. After a downgrade they would not see steps
/// recorded elsewhere, and write to a schema that they do not know.
package enum Migrator {
  /// A name (`v001_control`) and the statements of one migration.
  package typealias Step = (name: String, sql: String)

  /// How a database relates to the steps of this binary.
  package enum State: Equatable {
    /// It holds nothing yet.
    case empty
    case current
    /// These steps are still to be applied.
    case behind([String])
  }

  /// Compares without writing. Throws `SchemaError` for a database that another, newer Plumb has migrated.
  package static func state(of database: some DatabaseReader, steps: [Step]) throws -> State {
    try database.read { try state($0, steps) }
  }

  /// Whether every step was applied, and no other.
  package static func isCurrent(_ database: some DatabaseReader, steps: [Step]) throws -> Bool {
    try state(of: database, steps: steps) == .current
  }

  /// Applies what is missing. Throws `SchemaError` for an unknown schema, and the failed step's `DatabaseError`, after
  /// which the database is as it was before.
  package static func migrate(_ database: some DatabaseWriter, steps: [Step]) throws {
    try database.writeWithoutTransaction { db in
      // Immediate: of two processes that migrate at once, the second waits and then finds the steps applied.
      try db.inTransaction(.immediate) {
        guard case .behind(let missing) = try pending(db, steps) else { return .commit }
        for (position, step) in steps.enumerated() where missing.contains(step.name) {
          try apply(step, at: position, in: db)
        }
        return .commit
      }
    }
  }

  private static func apply(_ step: Step, at position: Int, in db: Database) throws {
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS migration (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
    try db.execute(sql: step.sql)
    try db.execute(sql: "INSERT INTO migration (position, name) VALUES (?, ?)", arguments: [position, step.name])
  }

  private static func pending(_ db: Database, _ steps: [Step]) throws -> State {
    let found = try state(db, steps)
    return found == .empty ? .behind(steps.map(\.name)) : found
  }

  private static func state(_ db: Database, _ steps: [Step]) throws -> State {
    // One statement: between two, another process could create the tables.
    let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    guard tables.contains("migration") else {
      guard tables.isEmpty else { throw SchemaError.foreign }
      return steps.isEmpty ? .current : .empty
    }
    let applied = try String.fetchAll(db, sql: "SELECT name FROM migration ORDER BY position")
    let known = steps.map(\.name)
    for (index, name) in applied.enumerated() where index >= known.count || known[index] != name {
      throw SchemaError.unknown(migration: name)
    }
    return applied.count == known.count ? .current : .behind(Array(known.dropFirst(applied.count)))
  }
}

/// The database's schema is not the one this binary works with.
public enum SchemaError: Error, Equatable, CustomStringConvertible {
  /// The database has a migration that this binary lacks: a newer Plumb made it.
  case unknown(migration: String)
  /// The database lacks migrations.
  case behind([String])
  /// The file is a database, but none of Plumb's.
  case foreign

  /// One sentence for people, with what to do next.
  public var description: String {
    switch self {
    case .unknown(let name):
      "The database has the migration \(name), which this version of Plumb does not know. Use the version that made it."
    case .behind(let names):
      "The database lacks \(names.joined(separator: ", ")). Run `plumb migrate` first."
    case .foreign: "The file is a database that Plumb did not make."
    }
  }
}

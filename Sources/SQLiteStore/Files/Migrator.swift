import GRDB

/// The migration of a database to the schema of this version.
///
/// The table `migration` contains the names of the applied steps in order. All missing steps are applied in one
/// transaction: a crash leaves the database unchanged, and no other process sees a state between two steps. A missing
/// step may precede applied ones: v010 of `plumb.db` was released before v009.
///
/// GRDB's `DatabaseMigrator` is not used, because it stores the steps in its own table `grdb_migrations`. Released
/// versions of Plumb read `migration` to refuse a schema that is newer than theirs; after a downgrade they would write
/// to an unknown schema.
enum Migrator {
  /// The name (`v001_control`) and SQL statements of one migration.
  typealias Step = (name: String, sql: String)

  /// The state of a database compared with this version's steps.
  enum State: Equatable {
    /// The database has no tables.
    case empty
    case current
    /// The database lacks these migrations.
    case behind([String])
  }

  /// Determines the state without writing. Throws `SchemaError` for a database of a newer version.
  static func state(of database: some DatabaseReader, steps: [Step]) throws -> State {
    try database.read { try state($0, steps) }
  }

  /// Whether exactly this version's migrations are applied to the database.
  static func isCurrent(_ database: some DatabaseReader, steps: [Step]) throws -> Bool {
    try state(of: database, steps: steps) == .current
  }

  /// Applies the missing steps. Throws `SchemaError` for an unknown schema, or the `DatabaseError` of a failed step, in
  /// which case the database is unchanged.
  static func migrate(_ database: some DatabaseWriter, steps: [Step]) throws {
    try database.writeWithoutTransaction { db in
      // Immediate: the second of two concurrent migrations waits and then finds the steps applied.
      try db.inTransaction(.immediate) {
        guard case .behind(let missing) = try pending(db, steps) else { return .commit }
        for step in steps where missing.contains(step.name) { try apply(step, in: db) }
        return .commit
      }
    }
  }

  /// Whether `plumb.db` is a ledger, whose rows are in ClickHouse.
  static func isLedger(_ db: Database) throws -> Bool { try db.tableExists("ledger") }

  private static func apply(_ step: Step, in db: Database) throws {
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS migration (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
    try db.execute(sql: step.sql)
    try db.execute(
      sql: "INSERT INTO migration (position, name) SELECT coalesce(max(position) + 1, 0), ? FROM migration",
      arguments: [step.name])
  }

  private static func pending(_ db: Database, _ steps: [Step]) throws -> State {
    let found = try state(db, steps)
    return found == .empty ? .behind(steps.map(\.name)) : found
  }

  private static func state(_ db: Database, _ steps: [Step]) throws -> State {
    // Read in one statement, because another process could create the tables between two statements.
    let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    guard tables.contains("migration") else {
      guard tables.isEmpty else { throw SchemaError.foreign }
      return steps.isEmpty ? .current : .empty
    }
    let applied = try String.fetchAll(db, sql: "SELECT name FROM migration ORDER BY position")
    let known = steps.map(\.name)
    if let unknown = applied.first(where: { !known.contains($0) }) {
      throw unknown.hasPrefix("ledger_") ? SchemaError.isLedger : SchemaError.unknown(migration: unknown)
    }
    let missing = known.filter { !applied.contains($0) }
    return missing.isEmpty ? .current : .behind(missing)
  }
}

/// The error for a database whose schema differs from this version's.
public enum SchemaError: Error, Equatable, CustomStringConvertible {
  /// The database has a migration that this version does not know, because a newer version applied it.
  case unknown(migration: String)
  /// The database lacks migrations of this version.
  case behind([String])
  /// The file is a database, but not one of Plumb's.
  case foreign
  /// The database has rows, so it cannot be opened as a ledger.
  case hasRows
  /// The database is a ledger, and the servers with its rows are unknown.
  case isLedger

  /// The error in one or two sentences, with the next step.
  public var description: String {
    switch self {
    case .unknown(let name):
      "The database has the migration \(name), which this version of Plumb does not know. Use a newer version."
    case .behind(let names):
      "The database lacks \(names.joined(separator: ", ")). Run `plumb migrate` first."
    case .hasRows:
      "The folder has rows in plumb.db. Move them to ClickHouse with `plumb store copy`."
    case .isLedger:
      "The rows of this folder are in ClickHouse, and its file store.yaml, which names the servers, is missing."
    case .foreign: "The file is a database that was not created by Plumb."
    }
  }
}

import GRDB
import Migrations

/// `samples.db`: bodies of diagnostics by the hash of their content. This version makes the file and its schema, so that
/// a data folder is whole from the first day; no diagnostic is accepted yet.
public final class SQLiteSamples: Sendable {
  private let database: DatabaseQueue

  /// Opens or creates the database. An older schema is brought up to date.
  public init(path: String) throws {
    database = try Connections.queue(path, .normal)
    try Migrator.migrate(database, steps: Migrations.samples)
  }
}

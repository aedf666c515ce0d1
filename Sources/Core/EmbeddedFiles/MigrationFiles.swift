/// The ordered migrations of each database, one SQL file each. New files are added only at the end of a folder.
public enum MigrationFiles {
  /// `control.db`: apps, keys, users, tokens, incidents, messages.
  public static let control = all(in: "control")
  /// `journal.db`: records that wait for the digest, and receipts.
  public static let journal = all(in: "journal")
  /// `plumb.db`: all derived data.
  public static let plumb = all(in: "plumb")
  /// `plumb.db`: the additional tables it needs when the rows are stored in ClickHouse.
  public static let ledger = all(in: "ledger").map { (name: "ledger_" + $0.name, sql: $0.sql) }
  /// `samples.db`: diagnostic bodies.
  public static let samples = all(in: "samples")
  /// A ClickHouse database: one statement per file, which changes nothing when it is executed again.
  public static let clickhouse = all(in: "clickhouse")

  private static func all(in folder: String) -> [(name: String, sql: String)] {
    EmbeddedFile.all(in: "Migrations/" + folder).map { file in
      (String(file.name.dropLast(".sql".count)), file.text)
    }
  }
}

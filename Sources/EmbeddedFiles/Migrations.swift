/// The ordered migrations of each database, one SQL file each. A folder only ever grows at its end.
public enum Migrations {
  /// `control.db`: apps, keys, users, tokens, incidents, messages.
  public static let control = all(in: "control")
  /// `journal.db`: records that wait for the digest, receipts.
  public static let journal = all(in: "journal")
  /// `plumb.db`: everything derived.
  public static let plumb = all(in: "plumb")
  /// What `plumb.db` also has where its rows are elsewhere.
  public static let ledger = all(in: "ledger").map { (name: "ledger_" + $0.name, sql: $0.sql) }
  /// `samples.db`: bodies of diagnostics.
  public static let samples = all(in: "samples")
  /// A database of ClickHouse: one statement a file, which changes nothing when it is executed again.
  public static let clickhouse = all(in: "clickhouse")

  private static func all(in folder: String) -> [(name: String, sql: String)] {
    EmbeddedFile.all(in: "Migrations/" + folder).map { file in
      (String(file.name.dropLast(".sql".count)), file.text)
    }
  }
}

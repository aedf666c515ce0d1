public import ClickHouse
import Migrations

/// The tables of a database of ClickHouse, brought up to date by migrations. Each shard has them.
public enum FactSchema {
  private static let table = "plumb_migrations"

  /// The names of the migrations that a database has not had.
  public static func missing(in client: ClickHouseClient) throws -> [String] {
    let tables = try client.rows(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND name = '\(table)'")
    let done = tables.count == 0 ? [] : try client.rows("SELECT name FROM \(table)").strings("name")
    return Migrations.clickhouse.map(\.name).filter { !done.contains($0) }
  }

  /// Executes what a database has not had, and returns its names. A migration that was interrupted is executed again.
  @discardableResult public static func migrate(_ client: ClickHouseClient) throws -> [String] {
    let missing = try missing(in: client)
    guard !missing.isEmpty else { return [] }
    try client.execute("CREATE TABLE IF NOT EXISTS \(table) (name String) ENGINE = MergeTree() ORDER BY name")
    for (name, sql) in Migrations.clickhouse where missing.contains(name) {
      try client.execute(sql)
      let row = NativeBlock([.init("name", .strings([name]))])
      try client.insert(row.encoded(), into: table, columns: ["name"])
    }
    return missing
  }
}

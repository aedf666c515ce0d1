import Core
import Glibc

/// The migrations of a ClickHouse database. Every shard has the same tables.
enum FactMigrations {
  private static let table = "plumb_migrations"

  /// The names of the migrations that are not yet applied to a database.
  static func missing(in client: ClickHouseClient) throws -> [String] {
    let tables = try client.rows(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND name = '\(table)'")
    let done = tables.count == 0 ? [] : try client.rows("SELECT name FROM \(table)").strings("name")
    return MigrationFiles.clickhouse.map(\.name).filter { !done.contains($0) }
  }

  /// Executes the missing migrations of a database and returns their names. An interrupted migration is executed again.
  @discardableResult static func migrate(_ client: ClickHouseClient) throws -> [String] {
    let missing = try missing(in: client)
    guard !missing.isEmpty else { return [] }
    try client.execute("CREATE TABLE IF NOT EXISTS \(table) (name String) ENGINE = MergeTree() ORDER BY name")
    for (name, sql) in MigrationFiles.clickhouse where missing.contains(name) {
      try client.execute(sql)
      let row = NativeBlock([.init("name", .strings([name]))])
      try client.insert(row.encoded(), into: table, columns: ["name"])
    }
    return missing
  }

  /// Creates the table that reads the facts of all servers in a cluster, unless it exists with as many columns. Returns
  /// whether it was created.
  static func addDistributed(_ table: String, cluster: String, _ client: ClickHouseClient) throws -> Bool {
    let sql = "ENGINE = Distributed(\(cluster), \(client.address.database), facts)"
    let columns = try client.rows(
      """
      SELECT table, count() AS columns FROM system.columns
      WHERE database = currentDatabase() AND table IN ('facts', '\(table)') GROUP BY table ORDER BY table
      """
    ).integers("columns")
    if columns.count == 2, columns[0] == columns[1] { return false }
    try client.execute("DROP TABLE IF EXISTS \(table)")
    try client.execute("CREATE TABLE \(table) AS facts \(sql)")
    return true
  }

  /// Waits until the server has rewritten the rows of `ALTER TABLE … DELETE`: old servers respond earlier.
  static func waitForMutations(of table: String, _ client: ClickHouseClient) throws {
    var pause: UInt32 = 20_000
    while true {
      let waiting = try client.rows(
        """
        SELECT command FROM system.mutations
        WHERE database = currentDatabase() AND table = '\(table)' AND is_done = 0 LIMIT 1
        """)
      if waiting.count == 0 { return }
      usleep(pause)
      pause = min(1_000_000, pause * 2)
    }
  }
}

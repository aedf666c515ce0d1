import Core
import GRDB
import Storage

/// The deletion of an app's metrics.
struct MetricRemoval {
  private let database: Database
  private let app: AppID

  init(_ database: Database, _ app: AppID) {
    self.database = database
    self.app = app
  }

  /// The ids of the metrics with this name and of those computed from them. Throws for counts of sessions, payloads and
  /// diagnostics, which are not measurements.
  func ids(of name: String) throws -> Set<Int64> {
    let ids = try Set(StoredMetrics(database, app: app).ids(of: [name]))
    let counts = [Catalogue.sessions, Catalogue.users, Catalogue.payloads].map(Int64.init)
    guard ids.isDisjoint(with: counts), !DiagnosticKind.allCases.contains(where: { $0.counter.name == name }) else {
      throw ErasureRefused(
        "\(name) counts sessions, payloads or diagnostics. Delete a release, days, a user or a payload instead.")
    }
    return ids.union(ids.flatMap { Self.computed[$0] ?? [] })
  }

  /// The rates that are computed from a metric when a payload is digested, by catalogue number.
  private static let computed: [Int64: [Int64]] = {
    var rates: [Int64: [Int64]] = [100: [4], 101: [4], 102: [4], 200: [201, 202], 610: [201, 202]]
    for number in Int64(700)..<750 { rates[number] = [4, 5] }
    return rates
  }()

  /// Deletes the name of a custom metric with its labels, which are not deleted with the rows of a ledger.
  func forget(_ name: String) throws {
    try database.execute(
      sql: "DELETE FROM label WHERE app = ?1 AND metric IN (SELECT id FROM metric WHERE app = ?1 AND name = ?2)",
      arguments: [app, name])
    try database.execute(sql: "DELETE FROM metric WHERE app = ? AND name = ?", arguments: [app, name])
  }

  /// Deletes the series. Returns the number of deleted rows.
  func run(_ metrics: Set<Int64>) throws -> Int {
    guard !metrics.isEmpty else { return 0 }
    try MeasurementAgeTable.erase(metrics, of: app, in: database)
    let slices = try Int64.fetchAll(database, sql: "SELECT id FROM slice WHERE app = ?", arguments: [app])
    return try slices.reduce(0) { $0 + (try RowTables(database).delete(metrics, of: $1)) }
  }
}

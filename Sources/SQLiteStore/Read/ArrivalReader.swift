import GRDB
import Storage
import Telemetry

/// Reads what arrived lately.
struct ArrivalReader {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func arrivals(_ query: ArrivalQuery) throws -> [Arrival] {
    let release = query.release.map(ReleaseFilter.init)
    let statement = try database.cachedStatement(
      sql: """
        SELECT arrival.start, arrival.seen, arrival.crashed, arrival.users FROM arrival
        JOIN environment ON environment.id = arrival.environment JOIN release ON release.id = arrival.release
        WHERE environment.app = ? AND environment.name = ? AND arrival.start >= ?
          \(release == nil ? "" : "AND " + ReleaseFilter.condition)
        ORDER BY arrival.start, arrival.release
        """)
    let rows = try Row.fetchCursor(
      statement,
      arguments: [query.app, query.environment, query.from] + StatementArguments(release?.arguments ?? []))
    var found: [Arrival] = []
    while let row = try rows.next() {
      found.append(
        Arrival(
          start: try row.value(0), seen: try row.value(1), crashed: try row.value(2),
          users: try ArrivalLedger.users(in: row, at: 3)))
    }
    return found
  }
}

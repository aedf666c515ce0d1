import GRDB
import Storage
import Telemetry

/// Reads what arrived lately.
struct ArrivalReader {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func arrivals(_ query: ArrivalQuery) throws -> [Arrival] {
    let release = query.release.map(SlicePlan.parse)
    let statement = try database.cachedStatement(
      sql: """
        SELECT arrival.start, arrival.seen, arrival.crashed, arrival.users FROM arrival
        JOIN environment ON environment.id = arrival.environment JOIN release ON release.id = arrival.release
        WHERE environment.app = :app AND environment.name = :environment AND arrival.start >= :from
          AND (:version IS NULL OR release.version = :version) AND (:build IS NULL OR release.build = :build)
        ORDER BY arrival.start, arrival.release
        """)
    let rows = try Row.fetchCursor(
      statement,
      arguments: [
        "app": query.app, "environment": query.environment, "from": query.from, "version": release?.version,
        "build": release.flatMap { $0.build.isEmpty ? nil : $0.build },
      ])
    var found: [Arrival] = []
    while let row = try rows.next() {
      found.append(
        Arrival(start: row[0], seen: row[1], crashed: row[2], users: try ArrivalLedger.users(in: row, at: 3)))
    }
    return found
  }
}

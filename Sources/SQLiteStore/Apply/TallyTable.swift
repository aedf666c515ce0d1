import GRDB
import Storage
import Telemetry

/// What was counted beside the numbers, by day, client and release.
struct TallyTable {
  private let database: Database

  /// Clients an app may have by name; the rest is "(other)".
  private static let mostClients = 200

  init(_ database: Database) { self.database = database }

  func add(_ tallies: [TallyDelta]) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO tally (app, day, kind, reason, client, release, detail, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count,
          detail = CASE excluded.detail WHEN '' THEN detail ELSE excluded.detail END
        """)
    var clients = KnownClients(database)
    for tally in tallies {
      try statement.execute(arguments: [
        tally.app, tally.day.number, Int(tally.kind.rawValue), tally.reason,
        try clients.name(tally.client, app: tally.app), tally.release, tally.detail, tally.count,
      ])
    }
  }

  /// The clients of each app, which a client that renames itself without end must not fill the table with.
  private struct KnownClients {
    private let database: Database
    private var names: [AppID: Set<String>] = [:]

    init(_ database: Database) { self.database = database }

    mutating func name(_ client: String, app: AppID) throws -> String {
      if client.isEmpty { return client }
      var known = try names[app] ?? stored(app)
      defer { names[app] = known }
      if known.contains(client) { return client }
      guard known.count < TallyTable.mostClients else { return Interner.other }
      try database.execute(
        sql: "INSERT INTO client (app, name) VALUES (?, ?) ON CONFLICT DO NOTHING", arguments: [app, client])
      known.insert(client)
      return client
    }

    private func stored(_ app: AppID) throws -> Set<String> {
      try String.fetchSet(database, sql: "SELECT name FROM client WHERE app = ?", arguments: [app])
    }
  }
}

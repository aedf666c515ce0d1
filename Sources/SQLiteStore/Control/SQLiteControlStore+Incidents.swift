public import Core
internal import Foundation
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// The alert state of an app, or of the whole installation.
  public func alertState(of app: AppID) throws -> AlertState {
    try database.read { db in
      var state = AlertState()
      if let row = try Row.fetchOne(db, sql: "SELECT * FROM alert_state WHERE app = ?", arguments: [app]) {
        state.version = try row.value("version")
        state.digestedThrough = try row.value("digested_through")
        state.rules = try row.value("rules")
      }
      let sql = "SELECT * FROM incident WHERE app = ? AND closed IS NULL ORDER BY opened, id"
      state.open = try Row.fetchAll(db, sql: sql, arguments: [app]).map(Self.incident)
      return state
    }
  }

  /// Stores changed incidents and the messages about them, unless another process has stored a decision in the
  /// meantime.
  public func decide(
    _ incidents: [Incident], _ messages: [AlertMessage], _ state: AlertState, of app: AppID
  ) throws -> Bool {
    try database.writeWithoutTransaction { db in
      var isCurrent = false
      // Immediate: the second of two concurrent decisions waits and then finds another version.
      try db.inTransaction(.immediate) {
        let sql = "SELECT version FROM alert_state WHERE app = ?"
        isCurrent = try Int64.fetchOne(db, sql: sql, arguments: [app]) ?? 0 == state.version
        guard isCurrent else { return .rollback }
        try db.execute(
          sql: "INSERT OR REPLACE INTO alert_state (app, version, digested_through, rules) VALUES (?, ?, ?, ?)",
          arguments: [app, state.version + 1, state.digestedThrough, state.rules])
        for incident in incidents { try Self.write(incident, to: db) }
        for message in messages {
          try db.execute(
            sql: "INSERT INTO alert_message (id, created, body) VALUES (?, ?, ?)",
            arguments: [message.identifier, message.time.milliseconds, try Self.json(message)])
        }
        return .commit
      }
      return isCurrent
    }
  }

  /// Open incidents and those closed after an instant, newest first.
  public func incidents(of app: AppID?, closedAfter: Timestamp) throws -> [Incident] {
    try database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM incident WHERE (closed IS NULL OR closed > ?) AND (? IS NULL OR app = ?)
          ORDER BY opened DESC, id
          """, arguments: [closedAfter.milliseconds, app, app]
      ).map(Self.incident)
    }
  }

  /// The number of open incidents of each app that has any, by bundle identifier.
  public func openIncidentCounts() throws -> [String: Int] {
    try database.read { db in
      let sql = """
        SELECT app.bundle_id AS bundle_id, count(*) AS incidents FROM incident JOIN app ON app.id = incident.app
        WHERE incident.closed IS NULL GROUP BY app.id
        """
      return try Row.fetchAll(db, sql: sql).reduce(into: [:]) {
        $0[try $1.value("bundle_id")] = try $1.value("incidents")
      }
    }
  }

  /// The incident with this id; nil when there is none.
  public func incident(_ id: String) throws -> Incident? {
    try database.read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM incident WHERE id = ?", arguments: [id]).map(Self.incident)
    }
  }

  /// Deletes incidents closed before `closedBefore`, silences that ended before it, and messages created before
  /// `toldBefore`.
  public func forgetAlerts(closedBefore: Timestamp, toldBefore: Timestamp) throws {
    try database.write { db in
      let closed: StatementArguments = [closedBefore.milliseconds]
      try db.execute(sql: "DELETE FROM incident WHERE closed < ?", arguments: closed)
      try db.execute(sql: "DELETE FROM silence WHERE ends < ?", arguments: closed)
      try db.execute(sql: "DELETE FROM alert_message WHERE created < ?", arguments: [toldBefore.milliseconds])
    }
  }

  /// Deletes the alert state, incidents and silences of an app that is being removed.
  static func forgetAlerts(of app: AppID, in db: Database) throws {
    for table in ["alert_state", "incident", "silence"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE app = ?", arguments: [app])
    }
  }

  private static func incident(_ row: Row) throws -> Incident {
    let id: String = try row.value("id")
    guard let state = Incident.State(rawValue: try row.value("state")),
      let key = try? decoded(row.value("key"), IncidentKey.self),
      let breaches = try? decoded(row.value("breaches"), [Breach].self), !breaches.isEmpty
    else { throw ControlError.invalid("The incident \(id) in control.db is damaged.") }
    return Incident(
      id: id, app: try row.value("app"), key: key, state: state, title: try row.value("title"),
      opened: try row.time("opened"), closed: try row.time("closed"), closedBecause: try row.value("closed_because"),
      evaluated: try row.time("evaluated"), breaches: breaches)
  }

  private static func write(_ incident: Incident, to db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO incident (id, app, key, state, title, opened, closed, closed_because, evaluated, breaches)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, title = excluded.title, opened = excluded.opened,
          closed = excluded.closed, closed_because = excluded.closed_because, evaluated = excluded.evaluated,
          breaches = excluded.breaches
        """,
      arguments: [
        incident.id, incident.app, try json(incident.key), incident.state.rawValue, incident.title,
        incident.opened.milliseconds, incident.closed?.milliseconds, incident.closedBecause,
        incident.evaluated.milliseconds, try json(incident.breaches),
      ])
  }
}

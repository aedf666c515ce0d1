internal import GRDB
public import Storage
public import Telemetry

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
      state.open = try Row.fetchAll(db, sql: sql, arguments: [app]).map(IncidentRow.incident)
      return state
    }
  }

  /// Stores a decision, unless another process has stored one meanwhile.
  public func decide(_ decision: AlertDecision, of app: AppID, version: Int64) throws -> Bool {
    try database.writeWithoutTransaction { db in
      var isCurrent = false
      // Immediate: of two concurrent decisions the second waits and then finds another version.
      try db.inTransaction(.immediate) {
        let sql = "SELECT version FROM alert_state WHERE app = ?"
        isCurrent = try Int64.fetchOne(db, sql: sql, arguments: [app]) ?? 0 == version
        guard isCurrent else { return .rollback }
        try Self.write(decision, of: app, version: version + 1, to: db)
        return .commit
      }
      return isCurrent
    }
  }

  private static func write(_ decision: AlertDecision, of app: AppID, version: Int64, to db: Database) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO alert_state (app, version, digested_through, rules) VALUES (?, ?, ?, ?)",
      arguments: [app, version, decision.digestedThrough, decision.rules])
    for incident in decision.incidents { try IncidentRow.write(incident, to: db) }
    for message in decision.messages {
      try db.execute(
        sql: "INSERT INTO alert_message (id, created, body) VALUES (?, ?, ?)",
        arguments: [message.id, message.created.milliseconds, String(decoding: message.body, as: UTF8.self)])
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
      ).map(IncidentRow.incident)
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
      try Row.fetchOne(db, sql: "SELECT * FROM incident WHERE id = ?", arguments: [id]).map(IncidentRow.incident)
    }
  }

  /// Deletes incidents closed and silences ended before `closedBefore`, and messages created before `toldBefore`.
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
}

internal import Foundation
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
    // Closed incidents first, because one with the same key may open in the same decision.
    for incident in decision.incidents.filter({ $0.closed != nil }) + decision.incidents.filter({ $0.closed == nil }) {
      try IncidentRow.write(incident, to: db)
    }
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

/// Converts incidents to rows of `control.db` and back.
private enum IncidentRow {
  static func incident(_ row: Row) throws -> Incident {
    let id: String = try row.value("id")
    guard let key = key(try row.value("key")), let evidence = evidence(try row.value("evidence")),
      let state = Incident.State(rawValue: try row.value("state")),
      let severity = Incident.Severity(rawValue: try row.value("severity")),
      let condition = Incident.Condition(rawValue: try row.value("condition"))
    else { throw ControlError.invalid("The incident \(id) of control.db is damaged.") }
    return Incident(
      id: id, app: try row.value("app"), key: key, state: state, severity: severity, condition: condition,
      opened: try row.time("opened"), closed: try row.time("closed"),
      closedBecause: try row.value("closed_because"), announced: try row.time("announced"),
      evaluated: try row.time("evaluated"), lastCount: try row.value("last_count"),
      recoveringSince: try row.time("recovering_since"), recoveredCount: try row.value("recovered_count"),
      evidence: evidence)
  }

  static func write(_ incident: Incident, to db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO incident (id, app, key, state, severity, condition, opened, closed, closed_because, announced,
          evaluated, last_count, recovering_since, recovered_count, evidence)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, severity = excluded.severity,
          condition = excluded.condition, closed = excluded.closed, closed_because = excluded.closed_because,
          announced = excluded.announced, evaluated = excluded.evaluated, last_count = excluded.last_count,
          recovering_since = excluded.recovering_since, recovered_count = excluded.recovered_count,
          evidence = excluded.evidence
        """,
      arguments: [
        incident.id, incident.app, try text(incident.key), incident.state.rawValue, incident.severity.rawValue,
        incident.condition.rawValue, incident.opened.milliseconds, incident.closed?.milliseconds,
        incident.closedBecause, incident.announced?.milliseconds, incident.evaluated.milliseconds,
        incident.lastCount, incident.recoveringSince?.milliseconds, incident.recoveredCount,
        try text(incident.evidence),
      ])
  }

  // MARK: JSON

  /// An incident's key as a JSON array: the rule, the subject, and the parts of the slice if there is one. Equal keys
  /// must give equal texts, because SQLite finds an incident by this text.
  private static func text(_ key: IncidentKey) throws -> String {
    let slice = key.slice.map { [$0.environment, $0.release, $0.os, $0.device, $0.deviceClass, $0.label] } ?? []
    return try json([key.rule.rawValue, key.subject] + slice)
  }

  private static func key(_ text: String) -> IncidentKey? {
    guard let parts = try? JSONDecoder().decode([String?].self, from: Data(text.utf8)), [2, 8].contains(parts.count),
      let rule = parts[0].flatMap(IncidentKey.Rule.init(rawValue:)), let subject = parts[1]
    else { return nil }
    guard parts.count == 8 else { return IncidentKey(rule, subject) }
    guard let environment = parts[2] else { return nil }
    return IncidentKey(
      rule, subject,
      slice: Slice(
        environment: environment, release: parts[3], os: parts[4], device: parts[5], deviceClass: parts[6],
        label: parts[7]))
  }

  private struct EvidenceText: Codable {
    var summary: String
    var facts: [[String]]
    var advice: String?
  }

  private static func text(_ evidence: Incident.Evidence) throws -> String {
    try json(
      EvidenceText(
        summary: evidence.summary, facts: evidence.facts.map { [$0.name, $0.value] }, advice: evidence.advice))
  }

  private static func evidence(_ text: String) -> Incident.Evidence? {
    guard let found = try? JSONDecoder().decode(EvidenceText.self, from: Data(text.utf8)) else { return nil }
    let facts = found.facts.compactMap { $0.count == 2 ? Incident.Fact($0[0], $0[1]) : nil }
    return Incident.Evidence(summary: found.summary, facts: facts, advice: found.advice)
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

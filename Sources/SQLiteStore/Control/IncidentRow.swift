import Foundation
import GRDB
import Storage
import Telemetry

/// An incident as a row of `control.db`, and back.
enum IncidentRow {
  static func incident(_ row: Row) throws -> Incident {
    guard let key = key(row["key"]), let evidence = evidence(row["evidence"]),
      let state = Incident.State(rawValue: row["state"]), let severity = Incident.Severity(rawValue: row["severity"]),
      let condition = Incident.Condition(rawValue: row["condition"])
    else { throw ControlError.invalid("The incident \(row["id"] as String) of control.db is damaged.") }
    return Incident(
      id: row["id"], app: row["app"], key: key, state: state, severity: severity, condition: condition,
      opened: Timestamp(milliseconds: row["opened"]), closed: time(row["closed"]),
      closedBecause: row["closed_because"], announced: time(row["announced"]),
      evaluated: Timestamp(milliseconds: row["evaluated"]), lastCount: row["last_count"],
      recoveringSince: time(row["recovering_since"]), recoveredCount: row["recovered_count"], evidence: evidence)
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

  private static func time(_ milliseconds: Int64?) -> Timestamp? { milliseconds.map(Timestamp.init(milliseconds:)) }

  // MARK: JSON

  /// The rule, the subject, and the parts of the slice where there is one. One text for each key: it is compared.
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

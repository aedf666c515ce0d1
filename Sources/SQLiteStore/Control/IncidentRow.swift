internal import Foundation
internal import GRDB
internal import Storage
internal import Telemetry

/// Converts incidents to rows of `control.db` and back. Keys and breaches are JSON.
enum IncidentRow {
  static func incident(_ row: Row) throws -> Incident {
    let id: String = try row.value("id")
    let text: String = try row.value("breaches")
    guard let key = key(try row.value("key")), let state = Incident.State(rawValue: try row.value("state")),
      let stored = try? JSONDecoder().decode([StoredBreach].self, from: Data(text.utf8)),
      case let breaches = stored.compactMap(\.breach), breaches.count == stored.count, !breaches.isEmpty
    else { throw ControlError.invalid("The incident \(id) of control.db is damaged.") }
    return Incident(
      id: id, app: try row.value("app"), key: key, state: state, title: try row.value("title"),
      opened: try row.time("opened"), closed: try row.time("closed"), closedBecause: try row.value("closed_because"),
      evaluated: try row.time("evaluated"), breaches: breaches)
  }

  static func write(_ incident: Incident, to db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO incident (id, app, key, state, title, opened, closed, closed_because, evaluated, breaches)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, title = excluded.title, opened = excluded.opened,
          closed = excluded.closed, closed_because = excluded.closed_because, evaluated = excluded.evaluated,
          breaches = excluded.breaches
        """,
      arguments: [
        incident.id, incident.app,
        try json([incident.key.theme.rawValue, incident.key.environment, incident.key.release]),
        incident.state.rawValue, incident.title, incident.opened.milliseconds, incident.closed?.milliseconds,
        incident.closedBecause, incident.evaluated.milliseconds, try json(incident.breaches.map(StoredBreach.init)),
      ])
  }

  private static func key(_ text: String) -> IncidentKey? {
    guard let parts = try? JSONDecoder().decode([String?].self, from: Data(text.utf8)), parts.count == 3,
      let theme = parts[0].flatMap(IncidentKey.Theme.init(rawValue:))
    else { return nil }
    return IncidentKey(theme, environment: parts[1], release: parts[2])
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// The Codable form of a breach. Times are milliseconds.
private struct StoredBreach: Codable {
  /// The rule, the subject, and the parts of the slice if there is one; its attribute only where it has one.
  var key: [String?]
  var state: String
  var severity: String
  var condition: String
  var since: Int64
  var opened: Int64
  var announced: Int64?
  var closed: Int64?
  var closedBecause: String?
  var lastCount: Int
  var recoveringSince: Int64?
  var recoveredCount: Int
  var headline: String
  var summary: String
  var facts: [[String]]
  var advice: String?

  init(_ breach: Breach) {
    let slice = breach.key.slice
    key =
      [breach.key.rule.rawValue, breach.key.subject]
      + (slice.map { [$0.environment, $0.release, $0.os, $0.device, $0.deviceClass, $0.label] } ?? [])
      + (slice?.attribute.map { [$0.text] } ?? [])
    state = breach.state.rawValue
    severity = breach.severity.rawValue
    condition = breach.condition.rawValue
    since = breach.since.milliseconds
    opened = breach.opened.milliseconds
    announced = breach.announced?.milliseconds
    closed = breach.closed?.milliseconds
    closedBecause = breach.closedBecause
    lastCount = breach.lastCount
    recoveringSince = breach.recoveringSince?.milliseconds
    recoveredCount = breach.recoveredCount
    headline = breach.evidence.headline
    summary = breach.evidence.summary
    facts = breach.evidence.facts.map { [$0.name, $0.value] }
    advice = breach.evidence.advice
  }

  /// The breach; nil if it is damaged.
  var breach: Breach? {
    guard let key = breachKey, let state = Incident.State(rawValue: state),
      let severity = Incident.Severity(rawValue: severity), let condition = Incident.Condition(rawValue: condition)
    else { return nil }
    let evidence = Incident.Evidence(
      summary: summary, facts: facts.compactMap { $0.count == 2 ? Incident.Fact($0[0], $0[1]) : nil }, advice: advice,
      headline: headline)
    return Breach(
      key: key, state: state, severity: severity, condition: condition, since: Timestamp(milliseconds: since),
      opened: Timestamp(milliseconds: opened), announced: announced.map(Timestamp.init(milliseconds:)),
      closed: closed.map(Timestamp.init(milliseconds:)), closedBecause: closedBecause, lastCount: lastCount,
      recoveringSince: recoveringSince.map(Timestamp.init(milliseconds:)), recoveredCount: recoveredCount,
      evidence: evidence)
  }

  private var breachKey: BreachKey? {
    guard [2, 8, 9].contains(key.count), let rule = key[0].flatMap(BreachKey.Rule.init(rawValue:)), let subject = key[1]
    else { return nil }
    guard key.count > 2 else { return BreachKey(rule, subject) }
    let attribute = key.count > 8 ? key[8].flatMap { AttributeFilter($0) } : nil
    guard let environment = key[2] else { return nil }
    return BreachKey(
      rule, subject,
      slice: Slice(
        environment: environment, release: key[3], os: key[4], device: key[5], deviceClass: key[6], label: key[7],
        attribute: attribute))
  }
}

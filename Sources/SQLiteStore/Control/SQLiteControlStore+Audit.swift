internal import Core
internal import Foundation
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// The same store with changes attributed to `actor`.
  public func acting(as actor: Actor) -> any ControlStore { SQLiteControlStore(database, actor, clock) }

  /// Records a decision that is stored elsewhere.
  public func record(_ event: AuditEvent) throws { try database.write { try note(event, in: $0) } }

  /// Writes an entry in the transaction of the change, and deletes entries beyond the limits.
  func note(_ event: AuditEvent, in db: Database) throws {
    let now = clock()
    try db.execute(
      sql: "INSERT INTO audit (time, actor_kind, actor, action, app, subject, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        now.milliseconds, actor.kind.rawValue, SanitizedText.name(actor.name), event.action,
        event.app.map { SanitizedText.name($0) }, SanitizedText.name(event.subject),
        SanitizedText.name(event.detail, atMost: 1000),
      ])
    let id = db.lastInsertedRowID
    if try Bool.fetchOne(db, sql: "SELECT \(Self.isDecision) FROM audit WHERE id = ?", arguments: [id]) == true {
      try dropDecisions(of: actor, newest: id, in: db)
    }
    let oldest = now.milliseconds - ControlLimits.auditDays * 86_400_000
    try db.execute(sql: "DELETE FROM audit WHERE time < ?", arguments: [oldest])
  }

  /// The condition for entries that an editor can cause without limit; only these are limited by number. The index
  /// `audit_decisions` uses the same condition.
  private static let isDecision =
    "(substr(action, 1, 6) IN ('group.', 'silenc') OR (action = 'user.logout' AND lower(subject) = lower(actor)))"

  /// Deletes the actor's oldest decisions beyond its limit. Every hundred entries, also deletes those beyond the total
  /// limit, from the actors with the most decisions. An actor with few decisions loses none to actors with many.
  private func dropDecisions(of actor: Actor, newest id: Int64, in db: Database) throws {
    func drop(_ kind: String, _ name: String, keeping count: Int64) throws {
      try db.execute(
        sql: """
          DELETE FROM audit WHERE id IN (
            SELECT id FROM audit WHERE \(Self.isDecision) AND actor_kind = ? AND actor = ?
            ORDER BY id DESC LIMIT -1 OFFSET ?)
          """, arguments: [kind, name, count])
    }
    try drop(actor.kind.rawValue, SanitizedText.name(actor.name), keeping: ControlLimits.auditDecisionsOfActor)
    guard id % 100 == 0 else { return }
    let sql =
      "SELECT actor_kind, actor, count(*) FROM audit WHERE \(Self.isDecision) GROUP BY actor_kind, actor ORDER BY 3"
    let actors = try Row.fetchAll(db, sql: sql)
    var left = ControlLimits.auditDecisions
    for (index, row) in actors.enumerated() {
      // The remaining number is divided evenly among this actor and those with more decisions.
      let count: Int64 = try row.value(2)
      let share = left / Int64(actors.count - index)
      if count > share { try drop(try row.value(0), try row.value(1), keeping: share) }
      left -= min(count, share)
    }
  }

  /// The matching entries, newest first.
  public func auditEntries(_ filter: AuditFilter) throws -> [AuditEntry] {
    var conditions: [String] = []
    var values: StatementArguments = []
    func add(_ condition: String, _ value: (some DatabaseValueConvertible)?) {
      guard let value else { return }
      conditions.append(condition)
      values += [value]
    }
    add("app = ?", filter.app)
    add("actor = ? COLLATE NOCASE", filter.actor)
    // Not with LIKE, in which `_` and `%` are wildcards.
    if let action = filter.action {
      conditions.append("(action = ? OR substr(action, 1, ?) = ?)")
      values += [action, action.count + 1, action + "."]
    }
    add("time >= ?", filter.since?.milliseconds)
    add("id < ?", filter.before)
    let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    values += [min(10_000, max(1, filter.limit))]
    return try database.read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM audit \(condition) ORDER BY id DESC LIMIT ?", arguments: values).map(
        Self.entry)
    }
  }

  private static func entry(_ row: Row) throws -> AuditEntry {
    let kind: String = try row.value("actor_kind")
    guard let kind = Actor.Kind(rawValue: kind) else { throw StoreError.damaged("actor_kind: \(kind)") }
    return AuditEntry(
      id: try row.value("id"), time: try row.time("time"), actor: Actor(kind, try row.value("actor")),
      event: AuditEvent(
        try row.value("action"), app: try row.value("app"), subject: try row.value("subject"),
        detail: try row.value("detail")))
  }
}

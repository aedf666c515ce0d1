public import Core
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// Every silence that has not ended, in the order in which they were added.
  public func silences(at now: Timestamp) throws -> [Silence] {
    try database.read { db in
      let sql = "SELECT * FROM silence WHERE ends > ? ORDER BY id"
      return try Row.fetchAll(db, sql: sql, arguments: [now.milliseconds]).map(Self.silence)
    }
  }

  /// Adds a silence and returns it with its id.
  public func addSilence(_ silence: Silence) throws -> Silence {
    guard silence.starts < silence.ends else {
      throw ControlError.invalid(
        "A silence must end after it starts: \(silence.ends.iso) is not after \(silence.starts.iso).")
    }
    guard silence.reason.utf8.contains(where: { $0 > 0x20 }) else {
      throw ControlError.invalid("A silence requires a reason, which explains why no message was sent.")
    }
    return try database.write { db in
      let now = silence.created
      try db.execute(
        sql: "DELETE FROM silence WHERE ends < ?",
        arguments: [now.milliseconds - ControlLimits.endedSilenceDays * 86_400_000])
      let count = try Int.fetchOne(
        db, sql: "SELECT count(*) FROM silence WHERE app IS ? AND ends > ?",
        arguments: [silence.app, now.milliseconds])
      guard (count ?? 0) < ControlLimits.silencesOfApp else {
        throw ControlError.full(
          "There are already \(ControlLimits.silencesOfApp) silences. End those that are no longer needed.")
      }
      try db.execute(
        sql: "INSERT INTO silence (app, release, rule, incident, starts, ends, reason, created) "
          + "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          silence.app, silence.release, silence.rule, silence.incident, silence.starts.milliseconds,
          silence.ends.milliseconds, silence.reason, silence.created.milliseconds,
        ])
      var stored = silence
      stored.id = db.lastInsertedRowID
      let scope = [
        silence.incident.map { "incident \($0)" }, silence.release, silence.rule, "until \(silence.ends.iso)",
        silence.reason,
      ].compactMap { $0 }
      try note(
        AuditEvent(
          "silence.add", app: try silence.app.map { try Self.name(of: $0, in: db) }, subject: "\(stored.id)",
          detail: scope.joined(separator: "; ")), in: db)
      return stored
    }
  }

  /// Removes a silence.
  public func removeSilence(_ id: Int64) throws {
    try database.write { db in
      let sql = "SELECT * FROM silence WHERE id = ?"
      guard let silence = try Row.fetchOne(db, sql: sql, arguments: [id]).map(Self.silence) else {
        throw ControlError.noSuchSilence(id)
      }
      let app = try silence.app.map { try Self.name(of: $0, in: db) }
      try note(AuditEvent("silence.remove", app: app, subject: "\(id)", detail: silence.reason), in: db)
      try db.execute(sql: "DELETE FROM silence WHERE id = ?", arguments: [id])
    }
  }

  private static func silence(_ row: Row) throws -> Silence {
    Silence(
      id: try row.value("id"), app: try row.value("app"), release: try row.value("release"),
      rule: try row.value("rule"), incident: try row.value("incident"), starts: try row.time("starts"),
      ends: try row.time("ends"),
      reason: try row.value("reason"), created: try row.time("created"))
  }
}

internal import Core
internal import GRDB
internal import Ingest
public import Storage

extension SQLiteControlStore {
  /// The notes by group fingerprint.
  public func groupNotes(of app: AppID) throws -> [UInt64: GroupNote] {
    try database.read { db in
      let sql = "SELECT fingerprint, owner, note, author, changed FROM group_note WHERE app = ?"
      return try Row.fetchAll(db, sql: sql, arguments: [app]).reduce(into: [:]) { found, row in
        found[UInt64(bitPattern: try row.value(0))] = GroupNote(
          owner: try row.value(1), text: try row.value(2), author: try row.value(3),
          changed: Timestamp(milliseconds: try row.value(4)))
      }
    }
  }

  /// Stores a note in place of the group's own and of those of `replaced`; an empty one only deletes them.
  public func setNote(
    _ note: GroupNote, of app: AppID, group fingerprint: UInt64, replacing replaced: [UInt64]
  ) throws {
    try change { db in
      // The audit log is kept when the note is gone, so that it names the owner but does not repeat the text.
      let owner = note.owner.isEmpty ? "no owner" : "owner \(note.owner)"
      let count = note.text.unicodeScalars.count
      let text = count == 0 ? "no note" : "a note of \(count) \(count == 1 ? "character" : "characters")"
      try self.note(
        AuditEvent(
          "group.note", app: try Self.name(of: app, in: db), subject: Fingerprint.name(of: fingerprint),
          detail: "\(owner), \(text)"), in: db)
      for group in replaced + [fingerprint] {
        try db.execute(
          sql: "DELETE FROM group_note WHERE app = ? AND fingerprint = ?",
          arguments: [app, Int64(bitPattern: group)])
      }
      guard !note.isEmpty else { return }
      try Self.checkRoom(in: "group_note", of: app, db)
      try db.execute(
        sql: "INSERT INTO group_note (app, fingerprint, owner, note, author, changed) VALUES (?, ?, ?, ?, ?, ?)",
        arguments: [
          app, Int64(bitPattern: fingerprint), note.owner, note.text, CleanText.name(actor.name),
          note.changed.milliseconds,
        ])
    }
  }
}

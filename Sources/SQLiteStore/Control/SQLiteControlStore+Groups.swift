import Core
import GRDB
import Ingest
public import Storage

extension SQLiteControlStore {
  /// The decisions by group fingerprint. A group without one is open.
  public func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] {
    try database.read { db in
      var found: [UInt64: GroupDecision] = [:]
      let sql = "SELECT fingerprint, state, release, changed FROM group_state WHERE app = ?"
      for row in try Row.fetchAll(db, sql: sql, arguments: [app]) {
        let isIgnored = try row.value(1, as: String.self) == "ignored"
        let state: GroupDecision.State =
          try isIgnored ? .ignored : .resolved(release: row.value(2, as: String?.self) ?? "")
        found[UInt64(bitPattern: try row.value(0))] = GroupDecision(
          state, changed: Timestamp(milliseconds: try row.value(3)))
      }
      return found
    }
  }

  /// Stores the decision about a group and replaces an earlier one. The decision `open` only deletes the earlier one.
  public func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws {
    let number = Int64(bitPattern: fingerprint)
    try change { db in
      let (action, detail) =
        switch decision.state {
        case .open: ("group.reopen", "")
        case .ignored: ("group.ignore", "")
        case .resolved(let release): ("group.resolve", "in \(release)")
        }
      let name = Fingerprint.name(of: fingerprint)
      try note(AuditEvent(action, app: try Self.name(of: app, in: db), subject: name, detail: detail), in: db)
      guard decision.state != .open else {
        try db.execute(sql: "DELETE FROM group_state WHERE app = ? AND fingerprint = ?", arguments: [app, number])
        return
      }
      let known = "SELECT 1 FROM group_state WHERE app = ? AND fingerprint = ?"
      if try Row.fetchOne(db, sql: known, arguments: [app, number]) == nil {
        try Self.checkRoom(in: "group_state", of: app, db)
      }
      var release: String?
      if case .resolved(let name) = decision.state { release = name }
      try db.execute(
        sql: "INSERT OR REPLACE INTO group_state (app, fingerprint, state, release, changed) VALUES (?, ?, ?, ?, ?)",
        arguments: [app, number, release == nil ? "ignored" : "resolved", release, decision.changed.milliseconds])
    }
  }

  /// Throws if the app has the maximum number of groups with a row in `table`.
  static func checkRoom(in table: String, of app: AppID, _ db: Database) throws {
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE app = ?", arguments: [app]) ?? 0
    guard count < ControlLimits.decidedGroupsOfApp else {
      throw ControlError.full(
        "This app already has \(count) decisions or notes about groups. Reopen groups or clear notes first.")
    }
  }
}

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

  /// Stores a note. It replaces the notes of the group and of `replaced`; an empty note only deletes them.
  public func setNote(
    _ note: GroupNote, of app: AppID, group fingerprint: UInt64, replacing replaced: [UInt64]
  ) throws {
    try change { db in
      // The audit log outlives the note, so the entry names the owner but does not repeat the text.
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
          app, Int64(bitPattern: fingerprint), note.owner, note.text, SanitizedText.name(actor.name),
          note.changed.milliseconds,
        ])
    }
  }
}

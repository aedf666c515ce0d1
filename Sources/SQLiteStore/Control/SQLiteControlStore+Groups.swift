internal import Core
internal import GRDB
internal import Ingest
public import Storage

extension SQLiteControlStore {
  /// The decisions by group fingerprint, without groups that were always open.
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

  /// Stores the decision on a group in place of an earlier one. The decision `open` only deletes the earlier one.
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

  /// Throws if as many groups of the app have a row in `table` as may have.
  static func checkRoom(in table: String, of app: AppID, _ db: Database) throws {
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE app = ?", arguments: [app]) ?? 0
    guard count < ControlLimits.decidedGroupsOfApp else {
      throw ControlError.full(
        "\(count) groups of this app have one already. Reopen groups, or clear their notes, before you add others.")
    }
  }
}

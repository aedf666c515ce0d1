import Core
import GRDB
import Storage

/// The removal of single diagnostics from the numbers. Each had added one to the counter of its kind in its cell and
/// rollups, except hangs that people did not feel.
struct DiagnosticRemoval {
  private let database: Database
  private let app: AppID

  init(_ database: Database, _ app: AppID) {
    self.database = database
    self.app = app
  }

  /// The deleted diagnostics.
  struct Deleted {
    var identities: [UInt64] = []
    var signatures: Set<Int64> = []
    var days: Set<CalendarDay> = []
  }

  /// Removes the diagnostics of a user and those of the user's sessions.
  func run(
    user: UInt64, sessions: Set<UInt64>, using registry: inout NameRegistry, _ rows: inout RowChanges
  ) throws -> Deleted {
    var deleted = Deleted()
    let found = try Row.fetchAll(
      database,
      sql: """
        SELECT id, identity, kind, cell, source, day, time, signature, user, session, hang_rule FROM diagnostic
        WHERE app = ? AND (user = ? OR session IS NOT NULL)
        """, arguments: [app, Int64(bitPattern: user)])
    let delete = try database.cachedStatement(sql: "DELETE FROM diagnostic WHERE id = ?")
    for row in found {
      let isUsers = try row.value(8, as: Int64?.self) == Int64(bitPattern: user)
      let session = try row.value(9, as: Int64?.self).map(UInt64.init(bitPattern:))
      guard isUsers || session.map(sessions.contains) ?? false else { continue }
      guard let kind = DiagnosticKind(rawValue: try row.value(2)) else {
        throw StoreError.damaged("a diagnostic's kind")
      }
      let day = try row.day(5)
      let cell: Int64 = try row.value(3)
      let minute = try row.value(6, as: Int64?.self).map { Int($0 / 60_000) }
      let hang = try row.value(10, as: UInt8?.self).flatMap(HangRule.init)
      if hang?.hangClass.isFelt ?? true {
        try rows.subtractOne(
          registry.metric(kind.counter, app: app, in: database), on: day, near: minute ?? day.number * 1440,
          source: row.value(4), from: registry.cellSlices(of: cell, in: database).rows, received: registry.receivedDay)
      }
      try delete.execute(arguments: [row[0] as DatabaseValue])
      deleted.identities.append(UInt64(bitPattern: try row.value(1)))
      deleted.days.insert(day)
      if let signature: Int64 = try row.value(7) { deleted.signatures.insert(signature) }
    }
    try RowCounts.subtract(deleted.identities.count, .diagnostic, app, in: database)
    return deleted
  }
}

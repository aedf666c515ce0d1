public import Core
internal import GRDB
public import Storage

extension SQLiteControlStore: ErasureRequests {
  /// Stores a deletion request.
  public func request(_ scope: ErasureScope, of app: App, by name: String, at now: Timestamp) throws -> Erasure {
    let (kind, subject) = scope.stored
    return try database.write { db in
      try db.execute(
        sql: """
          INSERT INTO erasure (app, bundle_id, kind, subject, requested, requested_by) VALUES (?, ?, ?, ?, ?, ?)
          """, arguments: [app.id, app.bundleID, kind, subject, now.milliseconds, name])
      return Erasure(
        id: db.lastInsertedRowID, app: app.id, bundleID: app.bundleID, scope: scope, requested: now, requestedBy: name)
    }
  }

  /// The request with this id.
  public func erasure(_ id: Int64) throws -> Erasure? {
    try database.read { try Row.fetchOne($0, sql: "SELECT * FROM erasure WHERE id = ?", arguments: [id]) }
      .map(Self.erasure)
  }

  /// The number of deletions that were carried out.
  public func finishedErasures() throws -> Int {
    try database.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM erasure WHERE finished IS NOT NULL AND refused = 0") ?? 0
    }
  }

  /// The waiting requests, oldest first.
  public func waitingErasures() throws -> [Erasure] {
    try database.read { try Row.fetchAll($0, sql: "SELECT * FROM erasure WHERE finished IS NULL ORDER BY id") }
      .map(Self.erasure)
  }

  /// Stores what was deleted so far.
  public func note(_ id: Int64, deleted: String) throws {
    try database.write {
      try $0.execute(
        sql: "UPDATE erasure SET statement = ? WHERE id = ? AND finished IS NULL", arguments: [deleted, id])
    }
  }

  /// Stores the result of a request.
  public func finish(_ id: Int64, statement: String, isRefused: Bool, at now: Timestamp) throws {
    try database.write {
      try $0.execute(
        sql: "UPDATE erasure SET finished = ?, refused = ?, statement = ? WHERE id = ?",
        arguments: [now.milliseconds, isRefused, statement, id])
    }
  }

  /// Deletes everything about an app except its numbers, and the app itself.
  public func eraseRecords(of app: AppID) throws {
    try change { db in
      try db.execute(sql: "DELETE FROM app WHERE id = ?", arguments: [app])
      try Self.forgetAlerts(of: app, in: db)
      for table in ["group_state", "group_note", "rows_written", "bytes_written"] {
        try db.execute(sql: "DELETE FROM \(table) WHERE app = ?", arguments: [app])
      }
    }
  }

  private static func erasure(_ row: Row) throws -> Erasure {
    let (kind, subject): (String, String) = (try row.value("kind"), try row.value("subject"))
    guard let scope = ErasureScope(kind: kind, subject: subject) else {
      throw StoreError.damaged("a deletion request with the kind \(kind)")
    }
    return Erasure(
      id: try row.value("id"), app: try row.value("app"), bundleID: try row.value("bundle_id"), scope: scope,
      requested: try row.time("requested"), requestedBy: try row.value("requested_by"),
      finished: try row.time("finished"), statement: try row.value("statement"),
      isRefused: try row.value("refused"))
  }
}

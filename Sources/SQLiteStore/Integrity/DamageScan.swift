import Core
import Foundation
import GRDB
import Storage

/// The search for unreadable rows of `plumb.db`, and their quarantine.
struct DamageScan {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// A damaged row: its table and the values of its key, with which it is found again.
  struct Finding {
    let table: CheckedTable
    let key: [DatabaseValue]
    /// The damaged columns.
    let about: String

    var place: String { "\(table.name): " + zip(table.key, key).map { "\($0) \($1)" }.joined(separator: ", ") }
  }

  /// The damaged rows of a table, at most `limit`. It reads the whole table, or only the row with this key.
  func findings(in table: CheckedTable, key: [DatabaseValue]? = nil, limit: Int) throws -> [Finding] {
    var found: [Finding] = []
    let condition = key == nil ? "" : " WHERE " + table.key.map { "\($0) IS ?" }.joined(separator: " AND ")
    let rows = try Row.fetchCursor(
      database, sql: Self.select(table) + condition, arguments: StatementArguments(key ?? []))
    while found.count < limit, let row = try rows.next() {
      var about = String.fromDatabaseValue(row[0] as DatabaseValue)
      if about == nil, let body = table.body {
        let isWhole = try row.withUnsafeData(atIndex: 1) { data in
          (data ?? Data()).withUnsafeBytes { body.isWhole($0) }
        }
        if !isWhole { about = body.column }
      }
      guard let about else { continue }
      let start = table.body == nil ? 1 : 2
      found.append(
        Finding(
          table: table, key: table.key.indices.map { row[start + $0] as DatabaseValue }, about: about))
    }
    return found
  }

  /// The query for the first damaged column (NULL for none), the bytes if there are any, and the key.
  private static func select(_ table: CheckedTable) -> String {
    let cases = table.conditions.map { "WHEN NOT coalesce(\($0.sql), 0) THEN '\($0.about)'" }.joined(separator: " ")
    let columns = (table.body.map { [$0.column] } ?? []) + table.key
    return "SELECT CASE \(cases) END, \(columns.joined(separator: ", ")) FROM \(table.name)"
  }

  /// Saves the bytes of a damaged row in the table `quarantine`, and deletes or repairs the row. Returns the row's app.
  /// Nil if the row was deleted or is intact, because others may have written it, or a new row with its key, since it
  /// was found.
  func setAside(_ known: Finding, using registry: inout NameRegistry) throws -> AppID? {
    let table = known.table
    guard let finding = try findings(in: table, key: known.key, limit: 1).first else { return nil }
    let condition = table.key.map { "\($0) IS ?" }.joined(separator: " AND ")
    let arguments = StatementArguments(finding.key)
    let row = try Row.fetchOne(
      database, sql: "SELECT *, \(table.app) AS app_of_row FROM \(table.name) WHERE \(condition)",
      arguments: arguments)
    guard let row else { return nil }
    let body = table.body.flatMap { Data.fromDatabaseValue(row[$0.column] as DatabaseValue) }
    let text = zip(row.columnNames, row.databaseValues).filter { $0.0 != "app_of_row" && $0.0 != table.body?.column }
      .map { "\($0)=\($1)" }.joined(separator: " ")
    let app = AppID.fromDatabaseValue(row["app_of_row"] as DatabaseValue)
    let isStillCounted = try table.name == "session" && !mendSession(row, condition, arguments)
    try QuarantineTable(database).add([
      DamagedRow(
        table: table.name, key: zip(table.key, finding.key).map { "\($0) \($1)" }.joined(separator: ", "), app: app,
        reason: "\(finding.about) cannot be read\(isStillCounted ? Self.stillCounted : "")",
        bytes: body.map { [UInt8]($0) } ?? Array(text.utf8))
    ])
    if table.name == "session", !isStillCounted { return app ?? IntakeTally.unknownApp }
    if table.remedy == .mend, let id = finding.key.first.flatMap(Int64.fromDatabaseValue),
      try DamageRepair(database).mend(table.name, id, using: &registry)
    {
      return app ?? IntakeTally.unknownApp
    }
    if table.remedy == .empty, finding.about == table.body?.column {
      try database.execute(
        sql: "UPDATE \(table.name) SET \(finding.about) = x'' WHERE \(condition)", arguments: arguments)
    } else if table.remedy == .repack, let body, try RowTables(database).repack(finding.key[0], body) {
      return app ?? IntakeTally.unknownApp
    } else {
      try database.execute(sql: "DELETE FROM \(table.name) WHERE \(condition)", arguments: arguments)
      if let kind = table.counted, let app { try RowCounts.subtract(1, kind, app, in: database) }
    }
    return app ?? IntakeTally.unknownApp
  }

  /// The text in the entry of a deleted session, with which `verify` finds the entry.
  static let stillCounted = "; it is still counted in the sums of its day"

  /// Repairs the columns that only order a session's updates, so that the session stays. Returns false if columns that
  /// it counts by are damaged.
  private func mendSession(_ row: Row, _ condition: String, _ arguments: StatementArguments) throws -> Bool {
    let counts = ["app", "sid", "outcome", "minute", "cell", "source", "received"]
    let isKnown = counts.allSatisfy { Int64.fromDatabaseValue(row[$0] as DatabaseValue) != nil }
    let user = row["user"] as DatabaseValue
    guard isKnown, user.isNull || Int64.fromDatabaseValue(user) != nil else { return false }
    try database.execute(
      sql: """
        UPDATE session SET sequence = CASE typeof(sequence) WHEN 'integer' THEN sequence ELSE 0 END,
          explicit = explicit IS 1, user_grade = NULL, user_sequence = NULL WHERE \(condition)
        """, arguments: arguments)
    // Numbers outside their range remain damaged.
    let table = CheckedTable.all.first { $0.name == "session" }
    let whole = (table?.conditions ?? []).map { "coalesce(\($0.sql), 0)" }.joined(separator: " AND ")
    return try Bool.fetchOne(
      database, sql: "SELECT \(whole) FROM session WHERE \(condition)", arguments: arguments) ?? false
  }
}

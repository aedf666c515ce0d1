internal import GRDB
public import Storage
public import Telemetry

extension SQLiteControlStore: RowLedger {
  /// What was remembered of a day.
  public func rowsWritten(on day: CalendarDay) throws -> [AppID: Int] {
    try database.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT app, rows FROM rows_written WHERE day = ?", arguments: [day.number])
      return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Remembers what was written on a day, and forgets the days before it. No change that other processes look for.
  public func rememberRows(_ rows: [AppID: Int], on day: CalendarDay) throws {
    try database.write { db in
      try db.execute(sql: "DELETE FROM rows_written WHERE day < ?", arguments: [day.number])
      for (app, count) in rows {
        try db.execute(
          sql: "INSERT OR REPLACE INTO rows_written (day, app, rows) VALUES (?, ?, ?)",
          arguments: [day.number, app, count])
      }
    }
  }
}

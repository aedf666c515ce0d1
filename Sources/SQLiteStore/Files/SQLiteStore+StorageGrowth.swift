public import Core
import GRDB

extension SQLiteStore {
  /// Records the folder's size on a day, the last measurement of each day. A month is kept.
  public func noteSize(_ bytes: Int, on day: CalendarDay) throws {
    try writeRows { database in
      try database.execute(
        sql: "INSERT INTO folder_size VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes",
        arguments: [day.number, bytes])
      try database.execute(sql: "DELETE FROM folder_size WHERE day < ?", arguments: [day.number - 31])
    }
  }

  /// The average daily growth of the folder over the last week, in bytes; nil with less than a day to compare.
  public func growth(until day: CalendarDay) throws -> Int? {
    try read { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT day, bytes FROM folder_size WHERE day >= ? AND day <= ? ORDER BY day",
        arguments: [day.number - 7, day.number])
      guard let first = rows.first, let last = rows.last else { return nil }
      let days = try last.value(0, as: Int.self) - first.value(0, as: Int.self)
      return days > 0 ? try (last.value(1, as: Int.self) - first.value(1, as: Int.self)) / days : nil
    }
  }
}

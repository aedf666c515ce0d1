public import Core
import GRDB

enum UsedPages {
  /// The bytes of the pages that a database uses.
  static func bytes(in database: Database) throws -> Int {
    func value(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
    return try (value("page_count") - value("freelist_count")) * value("page_size")
  }
}

extension SQLiteStore {
  /// Remembers the folder's size on a day, the last measurement of each. A month is kept.
  public func noteSize(_ bytes: Int, on day: CalendarDay) throws {
    try writeRows { database in
      try database.execute(
        sql: "INSERT INTO folder_size VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes",
        arguments: [day.number, bytes])
      try database.execute(sql: "DELETE FROM folder_size WHERE day < ?", arguments: [day.number - 31])
    }
  }

  /// The bytes a day by which the folder grew over the last week; nil with less than a day to compare.
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

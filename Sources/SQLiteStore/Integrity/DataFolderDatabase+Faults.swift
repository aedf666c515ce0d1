import GRDB

extension DataFolderDatabase {
  /// The faults that SQLite finds in the database at `path`, at most `limit`; empty if there are none. It reads the
  /// whole file.
  public static func faults(at path: String, limit: Int = 20) throws -> [String] {
    try read(path) { queue in
      try queue.read { database in
        let found = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(limit))").filter { $0 != "ok" }
        guard found.isEmpty, try !Row.fetchAll(database, sql: "PRAGMA foreign_key_check").isEmpty else { return found }
        return ["rows refer to rows that do not exist"]
      }
    }
  }

  /// The first fault of the pages of the database at `path`; nil if there is none. It reads the whole file, but does
  /// not compare indexes with their tables.
  public static func damage(at path: String) throws -> String? {
    do {
      return try read(path) { queue in
        let found = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } ?? "ok"
        // The first line names the database.
        return found == "ok" ? nil : found.split(separator: "\n").last.map(String.init) ?? found
      }
    } catch let error as DatabaseFileError where error.isDamage {
      return "\(error)"
    }
  }
}

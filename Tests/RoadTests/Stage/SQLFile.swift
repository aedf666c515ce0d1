import GRDB

/// A database file of the stage, changed from outside.
enum SQLFile {
  static func run(_ sql: String, on path: String) throws {
    try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
  }

  static func number(_ sql: String, in path: String) throws -> Int? {
    try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: sql) }
  }
}

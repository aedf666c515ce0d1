import GRDB

/// A database file of the stage, changed from outside.
enum SQLFile {
  static func run(_ sql: String, on path: String) throws {
    try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
  }
}

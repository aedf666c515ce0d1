import GRDB
import Testing

@testable import SQLiteStore

@Suite("Statements bound without GRDB")
struct RowStatementTests {
  @Test("a missing parameter, or a statement inside itself, is an error instead of wrong rows")
  func misuse() throws {
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(sql: "CREATE TABLE number (value INTEGER); INSERT INTO number VALUES (1), (2), (3)")
      let sql = "SELECT value FROM number WHERE value >= ? ORDER BY value"
      let rows = try RawStatement(database, sql: sql)
      #expect(throws: DatabaseError.self) { try rows.bind(1, at: 2) }
      try rows.bind(2, at: 1)
      var found: [Int64] = []
      try rows.forEachRow { row in
        found.append(try row.integer(0))
        #expect(throws: DatabaseError.self) { try RawStatement(database, sql: sql) }
        #expect(throws: DatabaseError.self) { try row.bind(3, at: 1) }
        return true
      }
      #expect(found == [2, 3])
      // It is free again afterwards.
      try RawStatement(database, sql: sql).bind(1, at: 1)
    }
  }
}

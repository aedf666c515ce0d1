import GRDB
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Connections to databases")
struct ConnectionTests {
  @Test("a connection keeps 8 MiB of pages in memory, and 32 MiB while more than 5,000 sessions are written")
  func pageCache() throws {
    try withFolder { folder in
      let queue = try Connections.queue(folder + "/plumb.db", .normal)
      let sizes: [Int?] = try queue.write { database in
        func size() throws -> Int? { try Int.fetchOne(database, sql: "PRAGMA cache_size") }
        let usual = try size()
        let few = try Connections.withLargeCache(database, if: false) { try size() }
        let many = try Connections.withLargeCache(database, if: true) { try size() }
        return [usual, few, many, try size()]
      }
      // SQLite shows KiB as negative numbers.
      #expect(sizes == [-8_192, -8_192, -32_768, -8_192])
      #expect(BatchWriter.mostSpreadSessions == 5_000)
    }
  }
}

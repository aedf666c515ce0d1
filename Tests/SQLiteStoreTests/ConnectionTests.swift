import Foundation
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

  @Test("a database that a killed process left in the middle of a transaction can be read, and shows nothing of it")
  func hotJournal() throws {
    try withFolder { folder in
      let path = folder + "/\(DataFolderDatabase.control.rawValue)"
      let other = try DatabaseQueue(path: folder + "/other.db")
      try other.writeWithoutTransaction { database in
        try database.execute(sql: "CREATE TABLE migration (position INTEGER PRIMARY KEY, name TEXT)")
        for position in 0..<2_000 {
          try database.execute(sql: "INSERT INTO migration VALUES (?, ?)", arguments: [position, "before"])
        }
        // Half of a transaction is in the file when the cache is too small for it.
        try database.execute(sql: "PRAGMA cache_size = 1; BEGIN; UPDATE migration SET name = 'within'")
        for end in ["", "-journal"] {
          try FileManager.default.copyItem(atPath: folder + "/other.db" + end, toPath: path + end)
        }
        try database.execute(sql: "ROLLBACK")
      }
      let half = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(half.range(of: Data("within".utf8)) != nil)
      let names = try DataFolderDatabase.read(path) { queue in
        try queue.read { try String.fetchAll($0, sql: "SELECT DISTINCT name FROM migration") }
      }
      #expect(names == ["before"])
    }
  }
}

import Foundation
import GRDB
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore

@Suite("Migrations")
struct MigratorTests {
  private let steps: [Migrator.Step] = [
    ("v001_a", "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1);"),
    ("v002_b", "-- a comment\nALTER TABLE a ADD COLUMN y TEXT;\nUPDATE a SET y = ';';\n"),
    ("v003_c", "CREATE TABLE c (z INTEGER)"),
  ]

  @Test("migrations are applied once, in order")
  func order() throws {
    let database = try DatabaseQueue()
    #expect(try Migrator.state(of: database, steps: steps) == .empty)
    try Migrator.migrate(database, steps: Array(steps.prefix(1)))
    #expect(try Migrator.state(of: database, steps: steps) == .behind(["v002_b", "v003_c"]))
    #expect(try !Migrator.isCurrent(database, steps: steps))
    try Migrator.migrate(database, steps: steps)
    try Migrator.migrate(database, steps: steps)
    #expect(try Migrator.isCurrent(database, steps: steps))
    let rows = try database.read {
      try Row.fetchAll($0, sql: "SELECT CAST(x AS TEXT) AS x, y FROM a").map { [$0["x"] as String, $0["y"]] }
    }
    #expect(rows == [["1", ";"]])
  }

  @Test("a database with unknown migrations is refused and left unchanged")
  func newer() throws {
    let database = try DatabaseQueue()
    try Migrator.migrate(database, steps: steps)
    #expect(throws: SchemaError.unknown(migration: "v003_c")) {
      try Migrator.migrate(database, steps: Array(steps.prefix(2)))
    }
    #expect(try Migrator.isCurrent(database, steps: steps))
  }

  @Test("a migration that was added after later ones is applied after them, once")
  func late() throws {
    let database = try DatabaseQueue()
    try Migrator.migrate(database, steps: [steps[0], steps[2]])
    #expect(try Migrator.state(of: database, steps: steps) == .behind(["v002_b"]))
    for _ in 0..<2 { try Migrator.migrate(database, steps: steps) }
    #expect(try Migrator.isCurrent(database, steps: steps))
    let names = try database.read { try String.fetchAll($0, sql: "SELECT name FROM migration ORDER BY position") }
    #expect(names == ["v001_a", "v003_c", "v002_b"])
    #expect(try database.read { try String.fetchAll($0, sql: "SELECT y FROM a") } == [";"])
  }

  @Test("a database of another program is refused and left unchanged")
  func foreign() throws {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: "CREATE TABLE theirs (x)") }
    #expect(throws: SchemaError.foreign) { try Migrator.migrate(database, steps: steps) }
    #expect(try database.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema") } == ["theirs"])
  }

  @Test("a failed migration leaves the database as before all of them, and the next run continues")
  func failure() throws {
    let database = try DatabaseQueue()
    let broken: [Migrator.Step] = [
      steps[0], ("v002_b", "ALTER TABLE a ADD COLUMN y TEXT; INSERT INTO nowhere VALUES (1)"),
    ]
    #expect(throws: DatabaseError.self) { try Migrator.migrate(database, steps: broken) }
    #expect(try Migrator.state(of: database, steps: steps) == .empty)
    try Migrator.migrate(database, steps: Array(steps.prefix(1)))
    #expect(throws: DatabaseError.self) { try Migrator.migrate(database, steps: broken) }
    #expect(try Migrator.state(of: database, steps: steps) == .behind(["v002_b", "v003_c"]))
    #expect(try database.read { try $0.columns(in: "a").count } == 1)
    try Migrator.migrate(database, steps: steps)
    #expect(try Migrator.isCurrent(database, steps: steps))
  }

  @Test("processes that migrate one file at the same time apply every step once, and none sees a partial state")
  func race() throws {
    try withFolder { folder in
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      let queues = try (0..<6).map { _ in try DatabaseQueue(path: folder + "/x.db", configuration: configuration) }
      let steps = self.steps
      DispatchQueue.concurrentPerform(iterations: queues.count) { index in
        let before = try? Migrator.state(of: queues[index], steps: steps)
        #expect(before == .empty || before == .current)
        #expect((try? Migrator.migrate(queues[index], steps: steps)) != nil)
      }
      #expect(try queues[0].read { try Int.fetchOne($0, sql: "SELECT count(*) FROM a") } == 1)
    }
  }

  @Test("an older control database is refused, and migrated on request")
  func control() throws {
    #expect(MigrationFiles.control.map(\.name) == MigrationFiles.control.map(\.name).sorted())
    try withFolder { folder in
      let file = try DatabaseQueue(path: folder + "/control.db")
      try file.write { try $0.execute(sql: "CREATE TABLE migration (position INTEGER PRIMARY KEY, name TEXT UNIQUE)") }
      try file.close()
      #expect(throws: SchemaError.behind(MigrationFiles.control.map(\.name))) { try SQLiteControlStore(folder: folder) }
      #expect(throws: Never.self) { try SQLiteControlStore(folder: folder, migrates: true) }
      #expect(throws: Never.self) { try SQLiteControlStore(folder: folder) }
    }
  }
}

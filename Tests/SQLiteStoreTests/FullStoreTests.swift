import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Storage

/// How long pages' questions take where everything is as full as it may be.
struct FullStoreTests {
  @Test("groups of an app with the maximum number of stacks are listed within a moment")
  func groups() throws {
    let scene = try Scene()
    try scene.apply([Scene.record(Scene.report([Measurement(.known(610), at: .day(Scene.today), .counter(1))]))])
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
    try file.write { database in
      try database.execute(
        sql: """
          \(numbers) INSERT INTO diagnostic_group SELECT i, 1, i, 1, 1, 'EXC_BAD_ACCESS', 'place ' || i, 'Shop', 0, 0,
          X'', NULL FROM n
          """, arguments: [20_000])
      try database.execute(
        sql: "\(numbers) INSERT INTO signature SELECT i, 1, i, i, 'EXC_BAD_ACCESS', 0, X'' FROM n", arguments: [20_000])
      try database.execute(
        sql: """
          \(numbers) INSERT INTO signature_life SELECT i, (SELECT min(id) FROM environment),
          (SELECT min(id) FROM release), 20770, 20777, 1 FROM n
          """, arguments: [20_000])
      try database.execute(
        sql: """
          \(numbers) INSERT INTO diagnostic (app, identity, kind, cell, source, day, received, signature, examined)
          SELECT 1, i, 1, (SELECT id FROM slice WHERE kind = 6), 1, 20777 - i % 28, 1795168950000, i % 20000 + 1, 1 FROM n
          """, arguments: [100_000])
    }
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 28, endingOn: Scene.today))
    let found = try scene.store.groups(query)
    let lives = try scene.store.lifetimes(of: 1, group: nil)
    #expect(found.count == 20_000 && lives.count == 20_000)
  }
}

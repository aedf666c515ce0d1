import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Storage

/// A store of the version before names were admitted by use.
struct OlderStoreTests {
  @Test("the data of an older store is found and counted as before after an upgrade")
  func migrated() throws {
    // What was written by this version and has the same meaning in the older one is copied into a store of that one:
    // of days that are too old for day packs, which older versions do not know.
    let new = try Scene()
    let record = { (version: String, seconds: Int64) in
      Scene.record(
        Scene.report([Measurement(.known(610), at: .day(Scene.today - 40), .counter(1))], version: version),
        received: Timestamp(milliseconds: Scene.now.milliseconds + seconds * 1_000))
    }
    try new.apply((0..<5).map { record("4.\($0)", 0) })
    let sessions = (0..<7).map { id in
      SessionRecord(
        key: CellKey(
          app: 1, source: .native, environment: "production", release: Release(version: "4.1"), os: "iOS 17.4.1",
          model: "iPhone15,2"), id: UInt64(id), outcome: .healthy, minute: Scene.today.number * 1440, sequence: 1,
        isSequenceExplicit: true, user: 5, received: Scene.now)
    }
    try new.apply(sessions: sessions)
    let scene = try Scene()
    let path = scene.path("older.db")
    let older = try DatabaseQueue(path: path)
    let steps = Array(MigrationFiles.plumb.prefix { $0.name != "v009_names_by_use" })
    #expect(steps.count == 8)
    try Migrator.migrate(older, steps: steps)
    try older.writeWithoutTransaction { database in
      try database.execute(sql: "ATTACH DATABASE ? AS new", arguments: [new.path("plumb.db")])
      for (table, columns) in [
        ("environment", "id, app, name, newest_day"), ("release", "id, app, version, build"), ("os", "id, app, name"),
        ("device", "id, app, model, class"),
        ("slice", "id, app, environment, kind, release, os, device, class"), ("cell", "*"), ("marginal", "*"),
        ("daily", "*"),
        (
          "session",
          "app, sid, sequence, explicit, outcome, user, minute, cell, source, received, user_grade, user_sequence"
        ), ("release_life", "*"), ("watermark", "*"), ("app_state", "*"),
      ] {
        try database.execute(
          sql: "INSERT INTO main.\(table) \(columns == "*" ? "" : "(\(columns))") SELECT \(columns) FROM new.\(table)")
      }
      try database.execute(sql: "DETACH DATABASE new")
    }
    let store = try SQLiteStore(path: path)
    let query = RowQuery(
      app: 1, slice: Slice(), window: Window(days: 45, endingOn: Scene.today), dimension: .release)
    let (before, after) = (try new.store.rows(query), try store.rows(query))
    #expect(before.count == after.count)
    #expect(before.map(\.aggregate) == after.map(\.aggregate))
    #expect(try store.inventory(of: 1).releases.count == 5)
    #expect(
      try older.read { try Int.fetchOne($0, sql: "SELECT count FROM row_count WHERE app = 1 AND kind = 1") } == 7)
    // It goes on: a session that is sent again changes nothing, a new one is counted.
    let mark = try store.watermark(of: Scene.node)
    var next = sessions[0]
    next.id = 99
    try store.apply(
      DigestedBatch(node: Scene.node, from: mark + 1, through: mark + 1, sessions: sessions + [next]))
    #expect(try store.rows(query).sessions.total == 8)
    try store.compact(now: Scene.now)
    #expect(try store.rows(query).sessions.total == 8)
  }
}

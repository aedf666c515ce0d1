import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// What is damaged on disk holds up nobody, and a batch counts only at its place.
struct PoisonTests {
  private static func payload(_ value: Double, app: AppID = 1) -> [UInt8] {
    Scene.record(Scene.report([Measurement(.known(205), at: .day(Scene.today), .samples([value]))]), app: app)
  }

  @Test("a damaged row starts again at zero, which is counted, and everything else continues")
  func damagedRow() throws {
    let scene = try Scene()
    try scene.apply([Self.payload(100), Self.payload(100, app: 2)])
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write { database in
      // Packs of one series, 205, whose body cannot be read.
      try database.execute(
        sql: """
          UPDATE day_pack SET body = x'01cd01000601ffffffffff' WHERE id >> 26 IN (SELECT id FROM slice WHERE app = 1)
          """)
    }
    try scene.apply([Self.payload(300), Self.payload(300, app: 2)])
    #expect(try scene.rows(metrics: ["screen.load"]).samples == 1)
    #expect(try scene.rows(metrics: ["screen.load"], app: 2).samples == 2)
    let lost = try scene.store.tallies(of: 1, in: Window(days: 1, endingOn: Scene.today)).filter {
      $0.kind == .quarantined
    }
    // A cell and its six sums.
    #expect(lost.reduce(0) { $0 + $1.count } == 7)
    #expect(
      try scene.store.tallies(of: 2, in: Window(days: 1, endingOn: Scene.today)).allSatisfy { $0.kind == .accepted })
  }

  @Test("a batch is refused unless it starts at the store's position, including apps that are behind")
  func position() throws {
    let scene = try Scene()
    var batch = DigestedBatch(node: Scene.node, from: 1, through: 10)
    batch.behind = [3: 4]
    try scene.store.apply(batch)
    #expect(try scene.store.position(of: Scene.node) == DigestPosition(through: 10, behind: [3: 4]))
    #expect(try scene.store.watermark(of: Scene.node) == 4)
    #expect(try scene.store.inventory(of: 3).digestedThrough == 4)
    #expect(try scene.store.inventory(of: 1).digestedThrough == 10)
    let other = DigestedBatch(node: Scene.node, from: 11, through: 12)
    #expect(throws: StoreError.notContiguous(expected: 11, offered: 11)) { try scene.store.apply(other) }
    var late = DigestedBatch(node: Scene.node, from: 11, through: 10)
    late.behindBefore = [3: 4]
    try scene.store.apply(late)
    #expect(try scene.store.position(of: Scene.node) == DigestPosition(through: 10))
    #expect(throws: StoreError.self) { try scene.store.apply(late) }
  }

  @Test("the newest 200 quarantined records are kept, and none is digested")
  func quarantine() throws {
    let scene = try Scene()
    var batch = DigestedBatch(node: Scene.node, from: 1, through: 300)
    batch.quarantined = (1...300).map {
      QuarantinedRecord(
        sequence: $0, app: $0 % 2 == 0 ? 1 : nil, received: Scene.now, reason: "it ended the process",
        record: [1, 2, 3])
    }
    try scene.store.apply(batch)
    let (records, count) = try scene.store.quarantine(limit: 2)
    #expect(count == 200)
    #expect(records.map(\.sequence) == [300, 299])
    #expect(records.map(\.app) == [1, nil])
    #expect(records[0].record == [1, 2, 3])
    #expect(records[0].setAside.milliseconds > 0)
  }

  @Test("an error that the batch caused is distinguished from one of the disk")
  func blame() throws {
    let scene = try Scene()
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write { database in
      try database.execute(
        sql: """
          CREATE TRIGGER poison BEFORE INSERT ON release WHEN new.version = '6.6.6'
          BEGIN SELECT RAISE(ABORT, 'poison'); END
          """)
    }
    let report = Scene.report([Measurement(.known(205), at: .day(Scene.today), .samples([1]))], version: "6.6.6")
    #expect(throws: StoreError.self) { try scene.apply([Scene.record(report)]) }
    try file.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN EXCLUSIVE")
      #expect(throws: DatabaseError.self) { try scene.apply([Self.payload(1)]) }
      try database.execute(sql: "ROLLBACK")
    }
  }
}

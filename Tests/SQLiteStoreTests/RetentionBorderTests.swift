import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Each border of retention on its last day and one step beyond it.
@Suite("Limits of retention")
struct RetentionBorderTests {
  private static func before(_ days: Int, _ milliseconds: Int64 = 0) -> Timestamp {
    Timestamp(milliseconds: (Scene.today - days).startUTC.milliseconds + milliseconds)
  }

  private static func numbers(_ scene: Scene, _ sql: String) throws -> [Int] {
    try DatabaseQueue(path: scene.path("plumb.db")).read { try Int.fetchAll($0, sql: sql) }
  }

  @Test("diagnostics received 400 days ago are kept, and those of the day before are deleted")
  func diagnostics() throws {
    let scene = try Scene()
    for (number, received) in [Self.before(401, 86_399_999), Self.before(400), Self.before(399)].enumerated() {
      var report = Scene.report([])
      report.diagnostics = [
        Diagnostic(kind: .crash, time: .day(received.day()), identity: UInt64(number + 1), body: PackedJSON([]))
      ]
      try scene.apply([Scene.record(report, received: received)])
    }
    #expect(try Self.numbers(scene, "SELECT identity FROM diagnostic ORDER BY identity") == [1, 2, 3])
    // The end of the day: how late in a day it runs is of no importance.
    try scene.store.compact(now: Self.before(0, 86_399_999))
    #expect(try Self.numbers(scene, "SELECT identity FROM diagnostic ORDER BY identity") == [2, 3])
  }

  @Test("five-minute rows become hours when their day is more than three days ago", arguments: ["cell", "marginal"])
  func fiveMinutes(table: String) throws {
    let scene = try Scene()
    for (days, minute) in [(4, 1435), (3, 0)] {
      let time = Self.before(days, Int64(minute) * 60_000)
      let measurement = Measurement(.known(204), at: .instant(time), .samples([1]))
      try scene.apply([Scene.record(Scene.report([measurement]), received: time)])
    }
    let midnight = (Scene.today.number - 3) * 1440
    let own = "SELECT DISTINCT start FROM \(table) WHERE metric = 204 AND resolution ="
    #expect(try Self.numbers(scene, "\(own) 2 ORDER BY start") == [midnight - 5, midnight])
    try scene.store.compact(now: Scene.now)
    #expect(try Self.numbers(scene, "\(own) 2") == [midnight])
    #expect(try Self.numbers(scene, "\(own) 1") == [midnight - 60])
  }

  /// Sessions are remembered for 14 days: of an older day, another session of the user may have been dropped already, so
  /// that nobody can tell whether the user has left a row.
  @Test(
    "a user whose session moves to another release leaves the first one, if its day is within 14 days",
    arguments: [(13, 0), (14, 1)])
  func departure(days: Int, left: Int) throws {
    let scene = try Scene()
    func update(_ version: String, _ sequence: Int64, _ received: Timestamp) -> SessionRecord {
      let key = CellKey(
        app: 1, source: .native, environment: "production", release: Release(version: version), os: "iOS 18.0",
        model: "iPhone15,2")
      return SessionRecord(
        key: key, id: 7, outcome: .healthy, minute: (Scene.today.number - days) * 1440 + 600, sequence: sequence,
        isSequenceExplicit: true, user: 42, received: received)
    }
    try scene.apply(sessions: [update("4.2.0", 1, Self.before(days, 36_000_000))])
    try scene.apply(sessions: [update("4.3.0", 2, Scene.now)])
    func users(_ release: String) throws -> Int {
      try scene.rows(Slice(release: release), metrics: ["users"]).reduce(0) { sum, row in
        if case .users(let tally) = row.aggregate { sum + tally.all.estimate } else { sum }
      }
    }
    #expect(try users("4.3.0") == 1)
    #expect(try users("4.2.0") == left)
  }
}

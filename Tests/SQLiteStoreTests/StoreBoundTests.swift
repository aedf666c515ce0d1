import Foundation
import GRDB
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// What an app may fill a store with is bounded, and what comes afterwards is seen.
struct StoreBoundTests {
  private static let window = Window(days: 28, endingOn: Scene.today)

  private static func count(_ scene: Scene, _ sql: String) throws -> Int {
    try DatabaseQueue(path: scene.path("plumb.db")).read { try Int.fetchOne($0, sql: sql) ?? 0 }
  }

  private static func losses(_ reasons: Range<Int>, _ prefix: String, count: Int = 1) -> [IntakeTally] {
    reasons.map {
      IntakeTally(
        app: 1, day: Scene.today, kind: .lostByClient, client: "Evil/\($0)", reason: "\(prefix) \($0)", detail: "",
        count: count)
    }
  }

  // MARK: Tallies

  @Test("reasons, clients and releases that never repeat fill a bounded number of rows, and all are counted")
  func tallyRows() throws {
    var limits = StoreLimits()
    limits.tallyRows = 100
    let scene = try Scene(limits: limits)
    for round in 0..<20 { try scene.apply(tallies: Self.losses(0..<500, "made up in \(round)")) }
    // What comes late in the day is seen.
    try scene.apply(tallies: [
      IntakeTally(
        app: 1, day: Scene.today, kind: .rejected, client: "", reason: "type", detail: "sessions[0].status", count: 40)
    ])
    #expect(try Self.count(scene, "SELECT count(*) FROM tally") <= 115)
    let summary = try scene.store.tallySummary(of: 1, in: Self.window)
    let lost = summary.counts[.lostByClient]?.reduce(0) { $0 + $1.count }
    #expect(lost == 10_000)
    #expect(summary.counts[.rejected]?.map(\.reason) == ["type"])
    #expect(summary.counts[.rejected]?.first?.lastDetail == "sessions[0].status")
    #expect(try Self.count(scene, "SELECT count(*) FROM client WHERE name <> '(other)'") <= 200)
  }

  @Test("long reasons and details are cut, even inside a character")
  func longTexts() throws {
    let scene = try Scene()
    let text = String(repeating: "é", count: 5_000)
    try scene.apply(tallies: [
      IntakeTally(app: 1, day: Scene.today, kind: .rejected, reason: text, detail: "x" + text, count: 2)
    ])
    let count = try #require(try scene.store.tallySummary(of: 1, in: Self.window).counts[.rejected]?.first)
    #expect(count.count == 2 && count.reason.utf8.count < 200 && count.lastDetail.utf8.count < 200)
  }

  @Test("counts beyond the largest integer stay at it, and can be read")
  func saturation() throws {
    let scene = try Scene()
    for round in 0..<3 {
      try scene.apply(tallies: Self.losses(0..<3, "quantity", count: round == 0 ? 1 : .max))
    }
    let summary = try scene.store.tallySummary(of: 1, in: Self.window)
    #expect(summary.counts[.lostByClient]?.allSatisfy { $0.count == .max } == true)
    #expect(try scene.store.tallies(of: 1, in: Self.window).allSatisfy { $0.count == .max })
    #expect(try Self.count(scene, "SELECT count(*) FROM tally WHERE typeof(count) <> 'integer'") == 0)
  }

  @Test(
    "any count from an older version is read as a count",
    arguments: ["1e19", "-5", "'many'", "X'00'", "9223372036854775807"])
  func damagedCounts(value: String) throws {
    let scene = try Scene()
    try scene.apply(tallies: Self.losses(0..<2, "quantity", count: 3))
    try DatabaseQueue(path: scene.path("plumb.db")).write {
      try $0.execute(sql: "UPDATE tally SET count = \(value) WHERE reason = 'quantity 0'")
    }
    let wanted = ["1e19": Int.max, "9223372036854775807": Int.max][value] ?? 0
    let found = try scene.store.tallies(of: 1, in: Self.window)
    #expect(found.first { $0.reason == "quantity 0" }?.count == wanted)
    let counts = try #require(try scene.store.tallySummary(of: 1, in: Self.window).counts[.lostByClient])
    #expect(counts.first { $0.reason == "quantity 0" }?.count == wanted)
    // More of it heals the row.
    try scene.apply(tallies: Self.losses(0..<1, "quantity", count: 4))
    let healed = try scene.store.tallies(of: 1, in: Self.window).first { $0.reason == "quantity 0" }?.count
    #expect(healed == (wanted == .max ? .max : wanted + 4))
  }

  @Test("a table from an older version shows as many names as fit on a page")
  func oldTable() throws {
    let scene = try Scene()
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write {
      try $0.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
          INSERT INTO tally SELECT 1, ?, 11, 'reason ' || i, 'client ' || i, 'release ' || i, 'detail ' || i, i FROM n
          """, arguments: [Scene.today.number])
    }
    let summary = try scene.store.tallySummary(of: 1, in: Self.window)
    let counts = try #require(summary.counts[.lostByClient])
    #expect(counts.count == TallySummary.Limit.reasons + 1)
    #expect(counts.first?.reason == "reason 30000" && counts.last?.reason == "(other)")
    let sum = counts.reduce(0) { $0 + $1.count }
    #expect(sum == 450_015_000)
    try scene.store.compact(now: Scene.now)
    #expect(try Self.count(scene, "SELECT count(*) FROM tally") <= 1_001)
    let after = try #require(try scene.store.tallySummary(of: 1, in: Self.window).counts[.lostByClient])
    let sumAfter = after.reduce(0) { $0 + $1.count }
    #expect(sumAfter == 450_015_000)
    #expect(after.contains { $0.reason == "reason 30000" })
  }

  // MARK: Combinations, sessions, streams

  @Test("combinations beyond the limit are (other) in OS version and device, and in no sum")
  func cells() throws {
    var limits = StoreLimits()
    limits.cells = 30
    limits.cached = 10
    let scene = try Scene(limits: limits)
    for start in stride(from: 0, to: 200, by: 20) {
      try scene.apply(
        (start..<start + 20).map { number in
          Scene.record(
            Scene.report(
              [Core.Measurement(.known(610), at: .day(Scene.today), .counter(1))], version: "4.\(number % 3)",
              os: "17.\(number % 10)", model: "iPhone15,\(number / 10)"))
        })
    }
    // Three releases with the rest of each device class.
    let cells = try Self.count(scene, "SELECT count(*) FROM slice WHERE kind = 6")
    let classes = try Self.count(scene, "SELECT count(DISTINCT class) FROM slice")
    #expect(cells > 30 && cells <= 30 + 3 * classes, "\(cells)")
    for dimension in [Dimension.release, .os, .device, .deviceClass] {
      #expect(try scene.rows(metrics: ["time.foreground"], dimension: dimension).steps == 200_000, "\(dimension)")
    }
    #expect(try scene.rows(Slice(release: "4.1"), metrics: ["time.foreground"]).steps == 67_000)
  }

  @Test("sessions beyond the limit evict those that were not updated for longest")
  func sessions() throws {
    var limits = StoreLimits()
    limits.retention.mostSessions = 500
    let scene = try Scene(limits: limits)
    for day in 0..<5 {
      try scene.apply(
        sessions: (0..<300).map { id in
          SessionRecord(
            key: CellKey(
              app: 1, source: .native, environment: "production", release: Release(version: "4"), os: "iOS 17.1",
              model: "iPhone15,2"), id: UInt64(day * 1_000 + id), outcome: .healthy,
            minute: (Scene.today.number - 4 + day) * 1440, sequence: 1, isSequenceExplicit: true, user: nil,
            received: Timestamp(milliseconds: Scene.now.milliseconds + Int64(day - 4) * 86_400_000))
        })
    }
    #expect(try Self.count(scene, "SELECT count(*) FROM session") == 500)
    #expect(
      try Self.count(scene, "SELECT count(*) FROM session WHERE received = \(Scene.now.day().number)") == 300)
    #expect(try Self.count(scene, "SELECT count FROM row_count WHERE kind = 1") == 500)
    #expect(try scene.rows(metrics: ["sessions"]).sessions.total == 1_500)
    try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + 14 * 86_400_000))
    #expect(try Self.count(scene, "SELECT count(*) FROM session") == 300)
    #expect(try Self.count(scene, "SELECT count FROM row_count WHERE kind = 1") == 300)
  }

  @Test("streams beyond the limit evict those that occurred once before those that continue")
  func streams() throws {
    var limits = StoreLimits()
    limits.streams = 100
    let scene = try Scene(limits: limits)
    let start = Timestamp(milliseconds: Scene.now.milliseconds - 600_000)
    func reading(_ stream: Int, _ value: Double, _ seconds: Int64) -> Core.Measurement {
      let time = Timestamp(milliseconds: start.milliseconds + seconds * 1_000)
      return Core.Measurement(
        .known(610), at: .instant(time), .counter(value),
        accumulation: CumulativeStream(stream: UInt64(stream), start: start))
    }
    let honest = { (value: Double, seconds: Int64) in
      Scene.record(Scene.report((1...20).map { reading($0, value, seconds) }, source: .otlp))
    }
    try scene.apply([honest(1, 10)])
    try scene.apply([honest(2, 20)])
    for round in 0..<5 {
      try scene.apply([
        Scene.record(
          Scene.report(
            (0..<200).map { reading(1_000 * (round + 1) + $0, 1, 30 + Int64(round)) }, version: "evil", source: .otlp))
      ])
    }
    #expect(try Self.count(scene, "SELECT count(*) FROM stream") == 100)
    try scene.apply([honest(5, 60)])
    #expect(try scene.rows(Slice(release: "4.2.0"), metrics: ["time.foreground"]).steps == 20 * 5_000)
  }

  @Test("streams beyond the limit evict those without data for days first, whatever they sent before")
  func oldStreams() throws {
    var limits = StoreLimits()
    limits.streams = 20
    let scene = try Scene(limits: limits)
    func apply(_ streams: Range<Int>, _ value: Double, daysAgo: Int64) throws {
      let time = Timestamp(milliseconds: Scene.now.milliseconds - daysAgo * 86_400_000 + Int64(value) * 1_000)
      let start = Timestamp(milliseconds: Scene.now.milliseconds - 6 * 86_400_000)
      let readings = streams.map {
        Core.Measurement(
          .known(610), at: .instant(time), .counter(value),
          accumulation: CumulativeStream(stream: UInt64($0), start: start))
      }
      try scene.apply([Scene.record(Scene.report(readings, source: .otlp), received: time)])
    }
    // Ten that were heard of three times, five days ago, and twenty that begin today.
    for value in [1.0, 2, 3] { try apply(1..<11, value, daysAgo: 5) }
    try apply(11..<31, 1, daysAgo: 0)
    #expect(try Self.count(scene, "SELECT count(*) FROM stream") <= 20)
    #expect(try Self.count(scene, "SELECT count(*) FROM stream WHERE updates > 1") == 0)
  }

  private static func reading(_ stream: Int, _ value: Double, from start: Timestamp, at time: Timestamp) -> [UInt8] {
    let reading = Core.Measurement(
      .known(610), at: .instant(time), .counter(value),
      accumulation: CumulativeStream(stream: UInt64(stream), start: start))
    return Scene.record(Scene.report([reading], source: .otlp), received: time)
  }

  @Test(
    "a counted total never counts again when its stream returns after an eviction or after weeks",
    arguments: [false, true])
  func returningStreams(afterWeeks: Bool) throws {
    var limits = StoreLimits()
    limits.streams = 20
    let scene = try Scene(limits: limits)
    func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: Scene.now.milliseconds + seconds * 1_000) }
    func sum() throws -> Int64 { try scene.rows(metrics: ["time.foreground"]).steps }
    try scene.apply([Self.reading(1, 20, from: at(-600), at: at(0)), Self.reading(1, 25, from: at(-600), at: at(10))])
    #expect(try sum() == 25_000)
    var later: Int64 = 100
    if afterWeeks {
      try scene.store.compact(now: at(15 * 86_400))
      later = 16 * 86_400
    } else {
      // Those that push it out say that they began in the year 2100, or a moment ago.
      for (number, start) in [Timestamp(milliseconds: 4_102_444_800_000), at(-1)].enumerated() {
        for round in 1...2 {
          try scene.apply(
            (0..<40).map { Self.reading(100 + 40 * number + $0, 0, from: start, at: at(20 + Int64(round))) })
        }
        later += 86_400
      }
    }
    #expect(try Self.count(scene, "SELECT count(*) FROM stream WHERE stream = 1") == 0)
    try scene.apply([Self.reading(1, 30, from: at(-600), at: at(later))])
    let window = Window(days: 28, endingOn: at(later + 90_000).day())
    func newSum() throws -> Int64 { try scene.rows(Slice(), window, metrics: ["time.foreground"]).steps }
    #expect(try newSum() == 25_000)
    let reasons = try scene.store.tallies(of: 1, in: window).filter { $0.kind == .rejectedPart }.map(\.reason)
    #expect(Set(reasons) == [IntakeTally.returnedStream])
    // From there it counts what it grows by, and a stream that began afterwards counts from its start.
    try scene.apply([Self.reading(1, 32, from: at(-600), at: at(later + 10))])
    #expect(try newSum() == 27_000)
    try scene.apply([Self.reading(2, 4, from: at(later + 3 * 86_400), at: at(later + 3 * 86_400 + 5))])
    #expect(
      try scene.rows(Slice(), Window(days: 28, endingOn: at(later).day() + 4), metrics: ["time.foreground"]).steps
        == 31_000)
    // A clock may be a day ahead: such a start is believed.
    let last = later + 3 * 86_400 + 10
    try scene.apply([Self.reading(3, 8, from: at(last + 86_400), at: at(last))])
    #expect(
      try scene.rows(Slice(), Window(days: 28, endingOn: at(later).day() + 4), metrics: ["time.foreground"]).steps
        == 39_000)
    // Another app's streams are its own.
    #expect(try Self.count(scene, "SELECT count(*) FROM stream_eviction") == 1)
  }

  // MARK: Damage

  @Test("damaged rows are left out of compaction, counted, and block nothing else")
  func damagedRows() throws {
    let scene = try Scene()
    let times = (0..<40).map { Timestamp(milliseconds: Scene.now.milliseconds - Int64($0) * 1_800_000) }
    try scene.apply(
      times.map { time in
        Scene.record(Scene.report([Core.Measurement(.known(400), at: .instant(time), .samples([5]))]))
      })
    try scene.apply(tallies: Self.losses(0..<1, "old"))
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    let changed = try file.write { database in
      try database.execute(
        sql: """
          UPDATE marginal SET body = X'FF00' WHERE slice = (SELECT id FROM slice WHERE kind = 1) AND resolution > 0
            AND start = (SELECT min(start) FROM marginal WHERE resolution > 0)
          """)
      let changed = database.changesCount
      try database.execute(
        sql: """
          UPDATE cell SET body = X'FF00' WHERE resolution > 0
            AND start = (SELECT min(start) FROM cell WHERE resolution > 0)
          """)
      return changed + database.changesCount
    }
    #expect(changed >= 2)
    let before = try scene.rows(Slice(), Self.window, metrics: ["memory.peak"]).samples
    for days in [4, 36, 402] as [Int64] {
      try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + days * 86_400_000))
      if days == 36 {
        #expect(try scene.rows(Slice(), Self.window, metrics: ["memory.peak"]).samples == before)
        let damaged = try scene.store.tallies(of: 1, in: Window(days: 60, endingOn: Scene.today + 50))
          .filter { $0.reason == "damaged row" }
        let sum = damaged.reduce(0) { $0 + $1.count }
        #expect(sum == changed)
      }
    }
    #expect(try Self.count(scene, "SELECT count(*) FROM cell") == 0)
    #expect(try Self.count(scene, "SELECT count(*) FROM marginal") == 0)
    #expect(try Self.count(scene, "SELECT count(*) FROM tally WHERE reason = 'old 0'") == 0)
  }

  @Test(
    "a row with an impossible value is an error and never ends the process",
    arguments: [
      "UPDATE release SET version = NULL", "UPDATE release_life SET first_day = 9223372036854775807",
      "UPDATE slice SET class = X'FF'", "UPDATE marginal SET start = 'x'", "UPDATE marginal SET body = NULL",
      "UPDATE day_pack SET body = X'01CD'", "UPDATE day_pack SET id = 9223372036854775807",
      "UPDATE day_pack SET id = -1",
      "UPDATE environment SET newest_day = 1e300", "UPDATE metric SET unit = 'x'",
    ])
  func damagedColumns(sql: String) throws {
    let scene = try Scene()
    try scene.apply([
      Scene.record(
        Scene.report([
          Core.Measurement(.known(400), at: .day(Scene.today), .samples([5])),
          Core.Measurement(
            .custom(name: "x", unit: .count, kind: .counter), at: .day(Scene.today), .counter(1)),
        ]))
    ])
    try DatabaseQueue(path: scene.path("plumb.db")).write { database in
      // NULL where a schema does not allow it comes from a damaged page.
      try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
      do { try database.execute(sql: sql) } catch {}
    }
    for dimension in [nil, Dimension.release, .deviceClass] {
      do { _ = try scene.rows(Slice(), Self.window, dimension: dimension) } catch is StoreError {}
    }
    do { _ = try scene.store.inventory(of: 1) } catch is StoreError {}
    do { try scene.store.compact(now: Scene.now) } catch is StoreError {}
  }
}

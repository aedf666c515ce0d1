import GRDB
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Numbers stay what they were when names give way, against a recount that knows of no names.
struct NameRetirementTests {
  private static let today = Scene.today.number

  private static func limits() -> StoreLimits {
    var limits = StoreLimits()
    limits.names.releases = 6
    limits.names.systems = 4
    limits.names.devices = 4
    limits.names.environments = 20
    limits.cells = 60
    limits.cached = 20
    limits.movedRows = 40
    return limits
  }

  private static func key(release: Int, os: Int = 0, model: Int = 0) -> CellKey {
    CellKey(
      app: 1, source: .native, environment: "production", release: Release(version: "4.\(release)"),
      os: "iOS 17.\(os)", model: "iPhone15,\(model)")
  }

  private static func update(
    _ id: Int, _ key: CellKey, _ outcome: SessionOutcome, sequence: Int64, user: UInt64?, day: Int = today,
    seconds: Int64
  ) -> SessionRecord {
    SessionRecord(
      key: key, id: UInt64(id) &* 0x9e37_79b9_7f4a_7c15, outcome: outcome, minute: day * 1440 + 100 + id % 400,
      sequence: sequence, isSequenceExplicit: true, user: user,
      received: Timestamp(milliseconds: Scene.now.milliseconds + seconds * 1000))
  }

  @Test(
    "every sum over names is the sum over the sessions, whichever names are replaced meanwhile",
    arguments: [1, 2, 3, 4] as [UInt64])
  func sums(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let scene = try Scene(limits: Self.limits())
    var finals: [Int: SessionRecord] = [:]
    var sent: [SessionRecord] = []
    for round in 0..<40 {
      var batch: [SessionRecord] = []
      // Names come and go: each round has its favourites.
      for _ in 0..<30 {
        let id = Int.random(in: 0..<250, using: &random)
        let user: UInt64? = id % 5 == 0 ? nil : UInt64(id % 40)
        let key = Self.key(
          release: round / 3 + Int.random(in: 0..<5, using: &random),
          os: round / 5 + Int.random(in: 0..<3, using: &random),
          model: round / 4 + Int.random(in: 0..<3, using: &random))
        let outcome: SessionOutcome = finals[id]?.outcome == .crashed || id % 17 == 3 ? .crashed : .healthy
        let update = Self.update(
          id, key, outcome, sequence: Int64(round), user: user, day: Self.today - id % 3, seconds: Int64(round))
        if finals[id].map({ $0.sequence < update.sequence }) ?? true { finals[id] = update }
        batch.append(update)
      }
      // Of equal numbers the first one here need not be the winner there: keep one update of each session and round.
      batch = Array(Dictionary(batch.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }).values)
      for update in batch { finals[Self.id(update)] = update }
      sent += batch
      try scene.apply(sessions: batch + sent.shuffled(using: &random).prefix(10))
      if round % 9 == 8 { try scene.store.compact(now: Scene.now) }
      if round % 4 == 3 { try Self.check(scene, finals.values.map { $0 }, round) }
      // In a snapshot, rows of days that did not change are known from the previous one.
      try scene.store.snapshot { try Self.check(scene, finals.values.map { $0 }, round) }
    }
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    let retired = try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM release WHERE retired > 0") ?? 0 }
    #expect(retired > 3, "names have to give way for this to say something")
    try scene.store.compact(now: Scene.now)
    try Self.check(scene, finals.values.map { $0 }, 40)
    let unmoved = try file.read {
      try Int.fetchOne(
        $0,
        sql: """
          SELECT count(*) FROM marginal JOIN slice ON slice.id = slice JOIN release ON release.id = slice.release
          WHERE retired > 0
          """)
    }
    #expect(unmoved == 0)
  }

  private static func id(_ update: SessionRecord) -> Int {
    (0..<250).first { UInt64($0) &* 0x9e37_79b9_7f4a_7c15 == update.id } ?? -1
  }

  private static func check(_ scene: Scene, _ finals: [SessionRecord], _ round: Int) throws {
    let window = Window(days: 5, endingOn: Scene.today)
    let all = try scene.rows(Slice(), window, metrics: ["sessions"]).sessions
    let expected = finals.reduce(into: [SessionOutcome: Int64]()) { $0[$1.outcome, default: 0] += 1 }
    for outcome in SessionOutcome.allCases { #expect(all[outcome] == expected[outcome] ?? 0, "\(round) \(outcome)") }
    // Clusters of the whole are those of the users' days.
    var clusters: [String: (x: Int64, y: Int64)] = [:]
    for (index, session) in finals.enumerated() {
      let name = session.user.map { "\($0) \(session.minute / 1440)" } ?? "nobody \(index)"
      clusters[name, default: (0, 0)].y += 1
      clusters[name]?.x += session.outcome == .crashed ? 1 : 0
    }
    var pairs = RatioMoments()
    for cluster in clusters.values { pairs.add(x: cluster.x, y: cluster.y) }
    #expect(all.userDays == pairs, "\(round)")
    for dimension in [Dimension.release, .os, .device, .deviceClass] {
      let rows = try scene.rows(Slice(), window, metrics: ["sessions"], dimension: dimension)
      for outcome in SessionOutcome.allCases {
        #expect(rows.sessions[outcome] == expected[outcome] ?? 0, "\(round) \(dimension) \(outcome)")
      }
      #expect(rows.sessions.userDays.y == pairs.y && rows.sessions.userDays.x == pairs.x)
      #expect(rows.sessions.userDays.clusters >= pairs.clusters)
    }
    // Combinations: those of every system, whatever it is called today.
    let systems = Set(try scene.rows(Slice(), window, metrics: ["sessions"], dimension: .os).map(\.member))
    let cells = try systems.reduce(into: SessionTally()) { sum, os in
      sum.merge(try scene.rows(Slice(os: os), window, metrics: ["sessions"], dimension: .device).sessions)
    }
    for outcome in SessionOutcome.allCases { #expect(cells[outcome] == expected[outcome] ?? 0, "\(round) cells") }
    // Users of the whole, one by one.
    for day in 0..<3 {
      let users = try scene.rows(Slice(), Window(days: 1, endingOn: Scene.today - day), metrics: ["users"])
      guard case .users(let found)? = users.first?.aggregate else { continue }
      let known = Set(finals.filter { $0.minute / 1440 == today - day }.compactMap(\.user))
      #expect(found.all.estimate == known.count, "\(round)")
    }
  }

  @Test("sessions under a replaced name leave nothing behind when they end up elsewhere")
  func exactDepartures() throws {
    var limits = StoreLimits()
    limits.names.releases = 3
    let scene = try Scene(limits: limits)
    func apply(_ release: Int, _ ids: Range<Int>, _ outcome: SessionOutcome, _ sequence: Int64, _ seconds: Int64) throws
    {
      try scene.apply(
        sessions: ids.map { id in
          Self.update(
            id, Self.key(release: release, model: id % 2), outcome, sequence: sequence, user: UInt64(id % 3),
            seconds: seconds)
        })
    }
    // One session each of users 0 to 2 under 4.1, which is used least, and some under names that have no room.
    try apply(1, 0..<6, .healthy, 1, 0)
    for round in 0..<6 {
      try apply(2, 10..<20, .healthy, 1, Int64(round))
      try apply(3, 20..<30, .healthy, 1, Int64(round))
    }
    try apply(4, 30..<32, .errored, 1, 8)
    // 4.5 comes again and again: 4.1 gives way.
    for round in 0..<6 { try apply(5, 40..<42, .healthy, 1, 10 + Int64(round)) }
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    #expect(try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM release WHERE retired > 0") } == 1)
    func releases() throws -> [String: SessionTally] {
      try scene.rows(Slice(), Window(days: 2, endingOn: Scene.today), metrics: ["sessions"], dimension: .release)
        .reduce(into: [:]) { sums, row in
          if case .sessions(let tally) = row.aggregate {
            sums[row.member, default: SessionTally()].merge(tally)
          }
        }
    }
    #expect(try releases()["4.1"] == nil)
    #expect(try releases()["(other)"]?[.healthy] == 6)
    #expect(try releases()["(other)"]?[.errored] == 2)
    // What was counted there is sent again, and once more with a crash that happened under 4.2.
    try apply(1, 0..<2, .healthy, 1, 20)
    #expect(try releases()["(other)"]?[.healthy] == 6)
    try apply(2, 0..<6, .crashed, 2, 21)
    try apply(2, 30..<32, .crashed, 2, 22)
    let left = try releases()
    #expect(left["(other)"] ?? SessionTally() == SessionTally())
    #expect(left["4.2"]?[.crashed] == 8)
    var pairs = RatioMoments()
    // Users 0, 1, 2: sessions 10 to 19 and the eight that moved here.
    for user in 0..<3 {
      let own = (Array(0..<6) + Array(30..<32) + Array(10..<20)).filter { $0 % 3 == user }
      pairs.add(x: Int64(own.filter { $0 < 6 || $0 >= 30 }.count), y: Int64(own.count))
    }
    #expect(left["4.2"]?.userDays == pairs)
  }

  @Test("counts, distributions, groups and days of replaced builds are those of (other)")
  func everythingElse() throws {
    var limits = StoreLimits()
    limits.names.releases = 5
    limits.movedRows = 10
    let scene = try Scene(limits: limits)
    for round in 0..<12 {
      let records = (0..<(3 + round)).map { number in
        Scene.record(
          Scene.report(
            [
              Measurement(.known(610), at: .day(Scene.today - round % 3), .counter(1)),
              Measurement(.known(400), at: .instant(Scene.now), .samples([Double(number + 1)])),
            ], version: "4.\(round)"),
          received: Timestamp(milliseconds: Scene.now.milliseconds + Int64(round) * 1000))
      }
      try scene.apply(records)
    }
    let payloads = Int64((0..<12).reduce(0) { $0 + 3 + $1 })
    for _ in 0..<2 {
      let window = Window(days: 5, endingOn: Scene.today)
      #expect(try scene.rows(Slice(), window, metrics: ["time.foreground"]).steps == payloads * 1000)
      #expect(
        try scene.rows(Slice(), window, metrics: ["time.foreground"], dimension: .release).steps == payloads * 1000)
      #expect(try scene.rows(Slice(), window, metrics: ["memory.peak"], dimension: .release).samples == Int(payloads))
      // Cells, too, are found under the names of today.
      let cells = try scene.rows(
        Slice(os: "iOS 17.4.1"), window, metrics: ["time.foreground"], dimension: .release)
      #expect(cells.steps == payloads * 1000)
      let byRelease = try scene.rows(Slice(), window, metrics: ["time.foreground"], dimension: .release)
      #expect(Set(byRelease.map(\.member)).count == 6)
      let known = try scene.store.inventory(of: 1).releases
      #expect(known.count == 6)
      let other = try #require(known.first { $0.release.version == "(other)" })
      #expect(other.firstDay == Scene.today - 2 && other.lastDay == Scene.today)
      try scene.store.compact(now: Scene.now)
    }
  }

  @Test("a damaged row of (other) prevents neither the replacement of names nor applying batches")
  func damagedRest() throws {
    var limits = StoreLimits()
    limits.names.releases = 3
    let scene = try Scene(limits: limits)
    func apply(_ version: Int, _ count: Int, _ seconds: Int64) throws {
      try scene.apply(
        (0..<count).map { _ in
          Scene.record(
            Scene.report([Measurement(.known(610), at: .day(Scene.today), .counter(1))], version: "4.\(version)"),
            received: Timestamp(milliseconds: Scene.now.milliseconds + seconds * 1_000))
        })
    }
    for version in 0..<3 { try apply(version, 4, 0) }
    try apply(3, 1, 1)
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    let damaged = try file.write { database in
      try database.execute(
        sql: """
          UPDATE day_pack SET body = X'FF' WHERE id >> 26 = (SELECT slice.id FROM slice JOIN release
            ON release.id = slice.release WHERE slice.kind = 1 AND version = '(other)')
          """)
      return database.changesCount
    }
    #expect(damaged > 0)
    try apply(5, 3, 2)
    let counts = try scene.rows(metrics: ["time.foreground"], dimension: .release)
    #expect(counts.filter { $0.member == "4.5" }.steps == 3_000)
    #expect(counts.filter { $0.member == "(other)" }.steps == 4_000, "what was damaged is lost, what came is not")
    #expect(try scene.rows(metrics: ["time.foreground"]).steps == 16_000)
  }

  @Test("names that are unused for longer than rows are kept are deleted with all their data")
  func forgotten() throws {
    var limits = StoreLimits()
    limits.cells = 100
    let scene = try Scene(limits: limits)
    let record = { (version: String, day: Int64) in
      Scene.record(
        Scene.report(
          [
            Measurement(
              .known(610), at: .instant(Timestamp(milliseconds: Scene.now.milliseconds + day * 86_400_000)), .counter(1)
            )
          ], version: version, model: "Old\(version),1"),
        received: Timestamp(milliseconds: Scene.now.milliseconds + day * 86_400_000))
    }
    try scene.apply((0..<40).map { record("3.\($0)", 0) })
    try scene.apply([record("4.0", 405)])
    let days = { (days: Int64) in Timestamp(milliseconds: Scene.now.milliseconds + days * 86_400_000) }
    for day in [3, 36, 405, 406] as [Int64] { try scene.store.compact(now: days(day)) }
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    let left = try file.read { database in
      try ["release", "device", "slice WHERE kind <> 6", "marginal"].map {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? 0
      }
    }
    // The first build of all stays: it tells from when on there was something.
    #expect(left[0] == 2 && left[1] == 1 && left[2] == 6, "\(left)")
    #expect(left[3] > 0)
  }
}

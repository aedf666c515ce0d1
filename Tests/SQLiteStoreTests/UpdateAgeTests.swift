import GRDB
import Testing
import TestSupport

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// The age of an installation's update, against a recomputation from all sessions in order.
struct UpdateAgeTests {
  private static let today = Scene.today

  private static func session(
    _ id: Int, user: UInt64?, version: String = "4.2.0", day: Int = 0, minute: Int = 600,
    outcome: SessionOutcome = .healthy, model: String = "iPhone15,2", sequence: Int64 = 1
  ) -> SessionRecord {
    let start = (today.number + day) * 1440 + minute
    return SessionRecord(
      key: CellKey(
        app: 1, source: .native, environment: "production", release: Release(version: version), os: "iOS 17.4.1",
        model: model), id: UInt64(id) &* 0x9e37_79b9_7f4a_7c15, outcome: outcome, minute: start, sequence: sequence,
      isSequenceExplicit: true, user: user, received: Timestamp(milliseconds: Int64(start + 5) * 60_000))
  }

  private struct Found: Hashable {
    var version: String
    var day: Int
    var age: UpdateAge
  }

  private static func counts(_ scene: Scene) throws -> [Found: (sessions: Int64, crashed: Int64)] {
    let rows = try scene.store.sessionsByAge(
      of: 1, environment: "production", releases: nil, in: Window(from: today - 200, to: today + 200))
    return Dictionary(
      rows.map {
        (Found(version: $0.release.version, day: $0.day.number - today.number, age: $0.age), ($0.sessions, $0.crashed))
      }, uniquingKeysWith: { ($0.0 + $1.0, $0.1 + $1.1) })
  }

  @Test("a session's age is counted from the installation's first session with the release")
  func ages() throws {
    let scene = try Scene()
    let days = [(0, 600), (0, 700), (1, 60), (2, 60), (3, 60), (4, 60), (7, 60), (8, 60), (40, 60)]
    for (index, day) in days.enumerated() {
      try scene.apply(sessions: [Self.session(index, user: 7, day: day.0, minute: day.1)])
    }
    let found = try Self.counts(scene)
    let expected: [(Int, UpdateAge, Int64)] = [
      (0, .firstSession, 1), (0, .sameDay, 1), (1, .nextDay, 1), (2, .days2To3, 1), (3, .days2To3, 1),
      (4, .days4To7, 1), (7, .days4To7, 1), (8, .later, 1), (40, .later, 1),
    ]
    #expect(found.count == expected.count)
    for (day, age, count) in expected {
      #expect(found[Found(version: "4.2.0", day: day, age: age)]?.sessions == count, "day \(day), \(age)")
    }
  }

  @Test("an update begins anew; a late session of the old release, or one without a user, has no age")
  func updates() throws {
    let scene = try Scene()
    try scene.apply(sessions: [
      Self.session(1, user: 7, version: "4.1.0", day: -9), Self.session(2, user: 7, version: "4.2.0", day: -1),
      Self.session(3, user: 7, version: "4.1.0", day: -2), Self.session(4, user: nil),
      Self.session(5, user: 7, version: "4.2.0"),
    ])
    let found = try Self.counts(scene)
    #expect(found.count == 3)
    #expect(found[Found(version: "4.1.0", day: -9, age: .firstSession)]?.sessions == 1)
    #expect(found[Found(version: "4.2.0", day: -1, age: .firstSession)]?.sessions == 1)
    #expect(found[Found(version: "4.2.0", day: 0, age: .nextDay)]?.sessions == 1)
  }

  @Test("only builds that are asked for are read")
  func builds() throws {
    let scene = try Scene()
    let versions = ["4.1.0", "4.2.0", "4.3.0"]
    for (index, version) in (versions + versions).enumerated() {
      try scene.apply(sessions: [Self.session(index, user: UInt64(index), version: version, day: index - 9)])
    }
    func read(_ releases: Set<Release>?) throws -> [SessionsByAge] {
      try scene.store.sessionsByAge(
        of: 1, environment: "production", releases: releases, in: Window(days: 30, endingOn: Self.today))
    }
    let all = try read(nil)
    #expect(all.count == 6)
    for asked in [["4.1.0", "4.2.0"], ["4.3.0"], [], ["9.9"]] as [[String]] {
      let releases = all.map(\.release).filter { asked.contains($0.version) } + asked.map { Release(version: $0) }
      #expect(try read(Set(releases)) == all.filter { asked.contains($0.release.version) })
    }
  }

  @Test("later updates of a session move its outcome and keep its age, in any batches")
  func outcomes() throws {
    for isOneBatch in [true, false] {
      let scene = try Scene()
      let updates = [
        Self.session(1, user: 7), Self.session(2, user: 7, minute: 660),
        Self.session(1, user: 7, outcome: .crashed, sequence: 2), Self.session(3, user: nil, minute: 670),
        Self.session(3, user: 7, minute: 670, sequence: 2),
      ]
      for batch in isOneBatch ? [updates] : updates.map({ [$0] }) { try scene.apply(sessions: batch) }
      let found = try Self.counts(scene)
      #expect(found[Found(version: "4.2.0", day: 0, age: .firstSession)]! == (1, 1))
      #expect(found[Found(version: "4.2.0", day: 0, age: .sameDay)]! == (2, 0))
    }
  }

  @Test("counts of a random fleet equal those of its sessions in order, whatever the batches")
  func fleet() throws {
    var random = SeededRandom(seed: 42)
    var sessions: [SessionRecord] = []
    var expected: [Found: Int64] = [:]
    for user in UInt64(1)...40 {
      let update = Int.random(in: -20...0, using: &random)
      var first: [String: Int] = [:]
      var starts = (0..<30).map { _ in Int.random(in: -30 * 1440..<1440, using: &random) }.sorted()
      starts = Array(Set(starts)).sorted()
      for start in starts {
        let day = Int((Double(start) / 1440).rounded(.down))
        let version = day < update ? "4.1.0" : "4.2.0"
        sessions.append(
          Self.session(sessions.count, user: user, version: version, day: day, minute: start - day * 1440))
        let age = first[version].map { UpdateAge(of: Self.today + day, since: Self.today + $0) } ?? .firstSession
        first[version] = first[version] ?? day
        expected[Found(version: version, day: day, age: age), default: 0] += 1
      }
    }
    sessions.sort { $0.minute < $1.minute }
    let scene = try Scene()
    var rest = sessions[...]
    while !rest.isEmpty {
      let part = rest.prefix(Int.random(in: 1...60, using: &random))
      try scene.apply(sessions: Array(part))
      rest = rest.dropFirst(part.count)
    }
    let found = try Self.counts(scene).mapValues(\.sessions)
    #expect(found == expected)
  }

  @Test("ages and installations are deleted after 90 days, and an installation in use is kept")
  func retention() throws {
    let scene = try Scene()
    try scene.apply(sessions: [
      Self.session(1, user: 7, day: -95), Self.session(2, user: 7, day: -50), Self.session(3, user: 8, day: -95),
    ])
    try scene.store.compact(now: Timestamp(milliseconds: Self.today.startUTC.milliseconds + 60_000))
    let found = try Self.counts(scene)
    #expect(found.keys.map(\.day) == [-50])
    let users = try scene.store.read { try UInt64.fetchAll($0, sql: "SELECT user FROM installation") }
    #expect(users == [7])
  }

  @Test("a flood of installations drives out those that were silent for the longest time")
  func bound() throws {
    var limits = StoreLimits()
    limits.installations = 50
    let scene = try Scene(limits: limits)
    for day in 0..<4 {
      try scene.apply(
        sessions: (0..<40).map { Self.session(day * 40 + $0, user: UInt64(day * 40 + $0 + 1), day: day - 10) })
    }
    let kept = try scene.store.read { try Int.fetchAll($0, sql: "SELECT user FROM installation ORDER BY user") }
    #expect(kept.count == 50)
    #expect(kept.suffix(40) == (121...160).map { $0 }[...])
  }

  @Test("a hang that arrives later is counted at the age of its session, and is unknown for sessions no longer stored")
  func hangs() throws {
    let scene = try Scene()
    try scene.apply(sessions: [
      Self.session(1, user: 7), Self.session(2, user: 7, minute: 660), Self.session(3, user: 8, minute: 670),
    ])
    func hung(in store: SQLiteStore) throws -> [UpdateAge: Int64?] {
      let rows = try store.sessionsByAge(
        of: 1, environment: "production", releases: nil, in: Window(from: Self.today, to: Self.today))
      return Dictionary(rows.map { ($0.age, $0.hung) }, uniquingKeysWith: { one, _ in one })
    }
    #expect(try hung(in: scene.store) == [.firstSession: 0, .sameDay: 0])
    let hang = DiagnosticRecord(
      key: Self.session(1, user: 7).key, kind: .hang, identity: 1, bin: TimeBin(Self.today), time: nil,
      hangMinute: Self.today.number * 1440 + 700, quantity: 900, session: Self.session(2, user: 7).id, user: nil,
      exception: ExceptionDetails(), calls: CompressibleBytes([]), bodySize: 0, body: CompressibleBytes([]),
      received: Scene.now)
    try scene.store.apply(
      DigestedBatch(node: Scene.node, from: scene.next, through: scene.next, diagnostics: [hang]))
    #expect(try hung(in: scene.store) == [.firstSession: 0, .sameDay: 1])
    // As before this was counted, with one of two first sessions no longer stored.
    let path = scene.path("plumb.db")
    try DatabaseQueue(path: path).write { database in
      try database.execute(sql: "ALTER TABLE session_age DROP COLUMN hung")
      try database.execute(sql: "DELETE FROM migration WHERE name LIKE '%hangs_by_age%'")
      try database.execute(
        sql: "DELETE FROM session WHERE sid = ?",
        arguments: [Int64(bitPattern: Self.session(3, user: 8).id)])
    }
    #expect(try hung(in: SQLiteStore(path: path)) == [.firstSession: nil, .sameDay: 1])
  }

  /// A measured day of an installation: the values of one document.
  private static func measured(
    _ values: [Double], day: Int, first: Int?, isCurrent: Bool = false, version: String = "4.2.0",
    model: String = "iPhone15,2", metric: String = "screen.load"
  ) -> [UInt8] {
    func noon(_ day: Int) -> Timestamp {
      Timestamp(milliseconds: (today + day).startUTC.milliseconds + 43_200_000)
    }
    let reference =
      Catalogue.metric(named: metric).map { MetricReference.known($0.number) }
      ?? .custom(name: metric, unit: .milliseconds, kind: .distribution)
    var report = Scene.report(
      [Measurement(reference, label: "Cart", at: .instant(noon(day)), .samples(values))], version: version, model: model
    )
    report.firstRun = first.map { FirstRun(at: noon($0), isCurrent: isCurrent) }
    return Scene.record(report, received: noon(day))
  }

  private static func measurements(
    _ scene: Scene, _ metrics: [String] = ["screen.load"], versions: [String] = ["4.1.0", "4.2.0"]
  ) throws -> [MeasurementsByAge] {
    try scene.store.measurementsByAge(
      of: 1, environment: "production", releases: Set(versions.map { Release(version: $0) }), metrics: metrics,
      in: Window(from: today - 200, to: today + 200))
  }

  @Test("measurements are added up by the age that their client states, each document as one cluster")
  func measurements() throws {
    let scene = try Scene()
    // The values of each age, added up here by hand, in two batches.
    var expected: [UpdateAge: [Double]] = [:]
    for round in 0..<2 {
      var records: [[UInt8]] = []
      for (day, first, isCurrent, age) in [
        (0, 0, true, UpdateAge.firstSession), (1, 0, true, .firstSession), (0, 0, false, .sameDay),
        (1, 0, false, .nextDay), (3, 0, false, .days2To3), (5, 0, false, .days4To7), (9, 0, false, .later),
        // A run that lasts for days, and a clock that went back.
        (2, 0, true, .days2To3), (0, 1, false, .sameDay),
      ] {
        let values = (0..<5).map { Double(100 + round * 50 + day * 10 + $0) }
        records.append(Self.measured(values, day: day, first: first, isCurrent: isCurrent))
        expected[age, default: []] += values
      }
      records.append(Self.measured([1], day: 0, first: nil))
      try scene.apply(records)
    }
    let found = try Self.measurements(scene)
    for (age, values) in expected {
      let rows = found.filter { $0.age == age }
      var (count, sum, clusters) = (0, 0.0, 0)
      for row in rows {
        guard case .distribution(let histogram) = row.aggregate else { continue }
        count += Int(histogram.count)
        sum += Double(histogram.sum) / 1000
        clusters += histogram.moments.clusters
        #expect(
          row.deviceClass == DeviceClass.of(model: "iPhone15,2").name && row.source == .native
            && row.release.version == "4.2.0")
      }
      #expect(count == values.count && abs(sum - values.reduce(0, +)) < 0.01, "\(age)")
      #expect(clusters == values.count / 5, "\(age)")
    }
    #expect(found.allSatisfy { expected[$0.age] != nil })
  }

  @Test("ages of measurements follow deletions of a metric, of days, of a release and of the app, and expire")
  func measurementsDeleted() throws {
    func filled() throws -> Scene {
      let scene = try Scene()
      try scene.apply([
        Self.measured([100], day: 0, first: 0), Self.measured([100], day: -5, first: -5),
        Self.measured([200], day: 0, first: 0, version: "4.1.0"),
        Self.measured([300], day: 0, first: 0, metric: "own.time"),
      ])
      #expect(try Self.measurements(scene, ["screen.load", "own.time"]).count == 4)
      return scene
    }
    func left(_ scope: ErasureScope) throws -> [String] {
      let scene = try filled()
      _ = try scene.store.erase(scope, of: 1, replay: JournalReplay(forEach: { _, _ in }))
      return try Self.measurements(scene, ["screen.load", "own.time"]).map {
        "\($0.metric) \($0.release.version) \($0.day.number - Self.today.number)"
      }.sorted()
    }
    let all = ["own.time 4.2.0 0", "screen.load 4.1.0 0", "screen.load 4.2.0 -5", "screen.load 4.2.0 0"]
    #expect(try left(.metric("own.time")) == Array(all.dropFirst()))
    #expect(try left(.metric("screen.load")) == ["own.time 4.2.0 0"])
    #expect(try left(.days(Window(from: Self.today, to: Self.today))) == ["screen.load 4.2.0 -5"])
    #expect(try left(.release("4.2.0")) == ["screen.load 4.1.0 0"])
    #expect(try left(.app) == [])
    let scene = try filled()
    try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + 87 * 86_400_000))
    #expect(try Self.measurements(scene).map(\.day.number) == [Self.today.number, Self.today.number])
    try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + 92 * 86_400_000))
    #expect(try Self.measurements(scene).isEmpty)
  }

  @Test("a damaged row of measurements by age is replaced by new ones, and counted")
  func measurementsDamaged() throws {
    let scene = try Scene()
    try scene.apply([Self.measured([100], day: 0, first: 0)])
    try DatabaseQueue(path: scene.path("plumb.db")).write {
      try $0.execute(sql: "UPDATE measurement_age SET body = x'0109'")
    }
    try scene.apply([Self.measured([100, 200], day: 0, first: 0)])
    let count = try Self.measurements(scene).map { row in
      if case .distribution(let histogram) = row.aggregate { histogram.count } else { 0 }
    }
    #expect(count == [2])
    #expect(
      try scene.store.tallies(of: 1, in: Window(days: 28, endingOn: Self.today)).contains {
        $0.kind == .quarantined && $0.detail == "measurement_age" && $0.count == 1
      })
    // A page that finds one sets it aside, like any damaged row.
    try DatabaseQueue(path: scene.path("plumb.db")).write {
      try $0.execute(sql: "UPDATE measurement_age SET body = x'0109'")
    }
    #expect(try Self.measurements(scene).isEmpty)
    #expect(
      try DatabaseQueue(path: scene.path("plumb.db")).read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM measurement_age")
      } == 0)
  }

  @Test("a folder from before ages were counted knows who has not just updated")
  func migration() throws {
    let folder = try TemporaryFolder("ages")
    let path = folder.path + "/plumb.db"
    let pool = try Connections.pool(path, .normal)
    try Migrator.migrate(pool, steps: Array(MigrationFiles.plumb.prefix(16)))
    try pool.write { database in
      try database.execute(
        sql: """
          INSERT INTO environment (id, app, name, newest_day) VALUES (1, 1, 'production', 20777);
          INSERT INTO release (id, app, version, build) VALUES (5, 1, '4.1.0', ''), (6, 1, '4.2.0', '');
          INSERT INTO os (id, app, name) VALUES (1, 1, 'iOS 17.4.1');
          INSERT INTO device (id, app, model, class) VALUES (1, 1, 'iPhone15,2', 'iPhone 14 Pro');
          INSERT INTO slice (id, app, environment, kind, release, os, device, class, attribute)
            VALUES (50, 1, 1, 6, 5, 1, 1, 'iPhone 14 Pro', 0), (60, 1, 1, 6, 6, 1, 1, 'iPhone 14 Pro', 0);
          """)
      let start = Self.today.number * 1440
      for (id, cell, minute) in [(1, 50, start - 9000), (2, 60, start - 5000), (3, 60, start - 300)] {
        try database.execute(
          sql: """
            INSERT INTO session (app, sid, sequence, explicit, outcome, user, minute, cell, source, received)
            VALUES (1, ?, 1, 1, 0, 7, ?, ?, 2, ?)
            """, arguments: [id, minute, cell, minute / 1440])
      }
    }
    try pool.close()
    let store = try SQLiteStore(path: path)
    let row = try store.read { try Row.fetchOne($0, sql: "SELECT release, since FROM installation WHERE user = 7") }
    #expect(row?[0] == 6)
    #expect(row?[1] == Self.today.number * 1440 - 5000)
    #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count FROM row_count WHERE kind = 4") } == 1)
  }
}

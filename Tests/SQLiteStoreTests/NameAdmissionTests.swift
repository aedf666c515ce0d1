import GRDB
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Who gets a name of its own where there is not room for all.
struct NameAdmissionTests {
  private static func limits(releases: Int = 50) -> StoreLimits {
    var limits = StoreLimits()
    limits.names.releases = releases
    return limits
  }

  /// A payload of a release: 1 s in the foreground.
  private static func payload(
    _ version: String, build: String = "", at received: Timestamp = Scene.now, os: String = "17.4.1",
    model: String = "iPhone15,2"
  ) -> [UInt8] {
    Scene.record(
      Scene.report(
        [Measurement(.known(610), at: .day(received.day()), .counter(1))], version: version, build: build, os: os,
        model: model),
      received: received)
  }

  private static func later(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: Scene.now.milliseconds + seconds * 1000)
  }

  /// Payloads by release.
  private static func counts(_ scene: Scene, _ dimension: Dimension = .release) throws -> [String: Int64] {
    let window = Window(days: 200, endingOn: Scene.today + 100)
    return try scene.rows(Slice(), window, metrics: ["time.foreground"], dimension: dimension)
      .reduce(into: [:]) { counts, row in
        if case .counter(let sum) = row.aggregate { counts[row.member, default: 0] += sum.steps / 1000 }
      }
  }

  @Test("names of sessions are used once for each run of sessions of their cell")
  func runs() throws {
    let scene = try Scene()
    func session(_ id: Int, _ version: String) -> [UInt8] {
      var report = Scene.report([], version: version)
      report.sessions = [SessionUpdate(id: "s\(id)", outcome: .healthy, started: Scene.now, updated: Scene.now)]
      return Scene.record(report, received: Scene.now)
    }
    try scene.apply(["4.1.0", "4.1.0", "4.2.0", "4.1.0", "4.2.0", "4.2.0", "4.1.0"].enumerated().map(session))
    let uses = try DatabaseQueue(path: scene.path("plumb.db")).read { database in
      try Row.fetchAll(database, sql: "SELECT version, uses FROM release ORDER BY version")
        .map { ($0[0] as String, $0[1] as Double) }
    }
    #expect(uses.map(\.0) == ["4.1.0", "4.2.0"] && uses.map(\.1) == [3, 2])
  }

  @Test("a new release appears at once among thousands of invented ones that occur once")
  func freshNames() throws {
    let scene = try Scene(limits: Self.limits())
    var random = SeededRandom(seed: 11)
    for round in 0..<6 {
      var records = (0..<1_000).map { Self.payload("evil-\(round)-\($0)", at: Self.later(Int64(round) * 2)) }
      if round >= 3 {
        records += (0..<(round == 3 ? 3 : 2)).map { _ in Self.payload("5.0.0", at: Self.later(Int64(round) * 2)) }
      }
      try scene.apply(records.shuffled(using: &random))
    }
    let counts = try Self.counts(scene)
    #expect(counts["5.0.0"] == 7)
    #expect(counts.count <= 51)
    #expect(counts.values.reduce(0, +) == 6_007)
  }

  @Test("a new release appears at once while a client repeats the same invented ones endlessly")
  func repeatedNames() throws {
    let scene = try Scene(limits: Self.limits())
    for round in 0..<20 {
      var records = (0..<4).flatMap { _ in
        (0..<200).map { Self.payload("evil-\($0)", at: Self.later(Int64(round) * 2)) }
      }
      if round >= 12 { records += (0..<3).map { _ in Self.payload("5.0.0", at: Self.later(Int64(round) * 2)) } }
      try scene.apply(records)
    }
    let counts = try Self.counts(scene)
    #expect(counts["5.0.0"] == 24, "all of its payloads, from the first on")
    let sum = counts.values.reduce(0, +)
    #expect(sum == 16_024)
    #expect(counts.count <= 51)
  }

  @Test("the build beyond five hundred appears with its first payloads, and no build in use is lost")
  func honestBuilds() throws {
    let scene = try Scene(limits: Self.limits(releases: 500))
    for start in stride(from: 0, to: 500, by: 50) {
      // Newer builds are used more.
      try scene.apply(
        (start..<start + 50).flatMap { build in
          (0..<(4 + build / 50)).map { _ in Self.payload("4.0", build: "\(build)", at: Self.later(Int64(build))) }
        })
    }
    let before = try Self.counts(scene)
    #expect(before.count == 500)
    try scene.apply((0..<3).map { _ in Self.payload("4.1", build: "500", at: Self.later(600)) })
    let after = try Self.counts(scene)
    #expect(after["4.1 (500)"] == 3)
    let (sum, sumBefore) = (after.values.reduce(0, +), before.values.reduce(0, +))
    #expect(sum == sumBefore + 3)
    // One of the least used gave way.
    #expect(after["(other)"] == 4)
    for build in 50..<500 {
      let name = "4.0 (\(build))"
      #expect(after[name] == before[name])
    }
  }

  @Test("names in use stay, whatever number of others occurs once")
  func inUse() throws {
    let scene = try Scene(limits: Self.limits())
    for _ in 0..<3 { try scene.apply((0..<50).flatMap { n in (0..<2).map { _ in Self.payload("4.\(n)") } }) }
    for round in 0..<5 { try scene.apply((0..<2_000).map { Self.payload("evil-\(round)-\($0)") }) }
    let counts = try Self.counts(scene)
    for number in 0..<50 { #expect(counts["4.\(number)"] == 6) }
    #expect(counts["(other)"] == 10_000)
  }

  @Test("a name that was unused for weeks is replaced by one that is used less than it was")
  func decay() throws {
    let scene = try Scene(limits: Self.limits(releases: 10))
    try scene.apply((0..<10).flatMap { n in (0..<20).map { _ in Self.payload("4.\(n)") } })
    let month: Int64 = 35 * 86_400
    // Nine of them go on.
    try scene.apply((1..<10).flatMap { n in (0..<20).map { _ in Self.payload("4.\(n)", at: Self.later(month)) } })
    try scene.apply((0..<2).map { _ in Self.payload("5.0", at: Self.later(month)) })
    let counts = try Self.counts(scene)
    #expect(counts["5.0"] == 2)
    #expect(counts["(other)"] == 20)
    for number in 1..<10 { #expect(counts["4.\(number)"] == 40) }
  }

  @Test("one batch replaces only a few names, so that a flood cannot keep the store busy")
  func boundedChurn() throws {
    let scene = try Scene(limits: Self.limits())
    for round in 0..<4 {
      try scene.apply(
        (0..<300).flatMap { n in
          (0..<5).map { _ in Self.payload("evil-\(round)-\(n)", at: Self.later(Int64(round) * 2)) }
        })
      let file = try DatabaseQueue(path: scene.path("plumb.db"))
      let retired = try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM release WHERE retired > 0") ?? 0 }
      #expect(retired <= 8 * (round + 1))
    }
    #expect(try Self.counts(scene).values.reduce(0, +) == 6_000)
  }

  @Test("if a batch has more names than it may admit, the most used come first")
  func mostUsed() throws {
    let scene = try Scene(limits: Self.limits(releases: 10))
    try scene.apply((0..<10).flatMap { n in (0..<2).map { _ in Self.payload("4.\(n)") } })
    // One batch admits four names, and one more because it is new.
    let strong = (0..<4).flatMap { n in (0..<30).map { _ in Self.payload("5.\(n)", at: Self.later(2)) } }
    let weak = (0..<12).flatMap { n in (0..<4).map { _ in Self.payload("6.\(n)", at: Self.later(2)) } }
    try scene.apply(weak + strong)
    let counts = try Self.counts(scene)
    for number in 0..<4 { #expect(counts["5.\(number)"] == 30, "5.\(number)") }
    // 10 × 2, 4 × 30 and 12 × 4.
    #expect(counts.values.reduce(0, +) == 188)
  }

  @Test("OS versions, devices and environments compete like releases")
  func otherNames() throws {
    var limits = StoreLimits()
    limits.names.systems = 20
    limits.names.devices = 20
    let scene = try Scene(limits: limits)
    for round in 0..<5 {
      var records = (0..<100).map {
        Self.payload("4.2.0", at: Self.later(Int64(round)), os: "9.\(round).\($0)", model: "Evil\(round),\($0)")
      }
      if round >= 2 {
        records += (0..<3).map { _ in
          Self.payload("4.2.0", at: Self.later(Int64(round)), os: "26.0", model: "iPhone19,1")
        }
      }
      try scene.apply(records)
    }
    #expect(try Self.counts(scene, .os)["iOS 26.0"] == 9)
    #expect(try Self.counts(scene, .device)["iPhone19,1"] == 9)
    for dimension in [Dimension.os, .device, .deviceClass] {
      #expect(try Self.counts(scene, dimension).values.reduce(0, +) == 509, "\(dimension)")
    }
  }

  @Test("labels and metrics are admitted with their later values after they were used several times")
  func labels() throws {
    var limits = StoreLimits()
    limits.names.labels = 20
    limits.names.metrics = 20
    let scene = try Scene(limits: limits)
    func report(_ names: [String]) -> [UInt8] {
      Scene.record(
        Scene.report(
          names.flatMap { name in
            [
              Measurement(.known(205), label: name, at: .day(Scene.today), .samples([1])),
              Measurement(
                .custom(name: "custom.\(name)", unit: .milliseconds, kind: .distribution), at: .day(Scene.today),
                .samples([1])),
            ]
          }))
    }
    try scene.apply([report((0..<300).map { "evil\($0)" })])
    for round in 0..<8 { try scene.apply([report(["Checkout"] + (0..<50).map { "evil-\(round)-\($0)" })]) }
    let labels = try scene.rows(metrics: ["screen.load"], byLabel: true)
    #expect(labels.samples == 300 + 8 * 51)
    #expect(labels.filter { $0.label == "Checkout" }.samples >= 5)
    #expect(Set(labels.map(\.label)).count <= 21)
    let custom = try scene.rows().filter { $0.metric.name.hasPrefix("custom.") || $0.metric.name == "(other)" }
    #expect(custom.samples == 300 + 8 * 51)
    #expect(custom.filter { $0.metric.name == "custom.Checkout" }.samples >= 5)
    // What gave way is moved with the next compaction: nothing changes but the number of rows.
    try scene.store.compact(now: Scene.now)
    #expect(try scene.rows(metrics: ["screen.load"], byLabel: true).samples == 300 + 8 * 51)
    let moved = try scene.rows().filter { $0.metric.name.hasPrefix("custom.") || $0.metric.name == "(other)" }
    #expect(moved.samples == 300 + 8 * 51)
    // In day packs they are read as "(other)", and move when the packs become rows.
    #expect(Set(moved.map(\.metric.name)).count <= 21)
    try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + 36 * 86_400_000))
    let rows = try scene.rows().filter { $0.metric.name.hasPrefix("custom.") || $0.metric.name == "(other)" }
    #expect(rows.samples == 300 + 8 * 51)
    #expect(rows.count <= 21)
  }
}

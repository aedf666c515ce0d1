import HealthScene
import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import Storage

/// Stages and adoption against counts of single sessions.
struct ReleaseLifeTests {
  private static let end = Int(Scene.now.milliseconds / 60_000)

  private static func iso(_ minute: Int) -> String { Timestamp(milliseconds: Int64(minute) * 60_000).iso }

  /// One document with a session at each of the minutes.
  private static func document(_ version: String, build: String = "1", _ minutes: [Int], user: String? = nil) -> String
  {
    let sessions = minutes.enumerated().map { number, minute in
      """
      {"id": "\(version) \(build) \(minute) \(number) \(user ?? "")", "started": "\(iso(minute))", "status": "exited"}
      """
    }
    return Scene.native(
      version: version, build: build, installation: user, "\"sessions\": [\(sessions.joined(separator: ","))]")
  }

  /// `count` sessions in each of the hours, which are counted back from now.
  private static func minutes(_ hours: ClosedRange<Int>, each count: Int) -> [Int] {
    hours.flatMap { hour in (0..<count).map { end - hour * 60 + $0 } }
  }

  private static func stages(_ scene: Scene, _ query: ReportQuery = .init()) throws -> [String: ReleaseStage] {
    try scene.report(query).releases.reduce(into: [:]) { $0[$1.release.version] = $1.stage }
  }

  @Test("the last 24 hours move every five minutes and not in between")
  func steps() throws {
    let scene = try Scene()
    for (version, count, started) in [
      ("4.1.0", 10, "2026-11-19T10:00:30Z"), ("4.2.0", 30, "2026-11-20T09:00:00Z"),
      ("4.3.0", 20, "2026-11-20T10:00:30Z"),
    ] {
      try scene.receive(Scene.sessions(count, crashed: 0, prefix: version, started: started, version: version))
    }
    func shares(_ time: String) throws -> [Double?] {
      let now = try #require(Timestamp(iso: "2026-11-20T\(time)Z"))
      return try scene.reader("p50 screen.load <= 1 s").report(Scene.app, now: now).releases.map(\.adoption)
    }
    for time in ["09:55:00", "09:59:59", "10:00:00", "10:00:59", "10:01:00", "10:04:59"] {
      #expect(try shares(time) == [0, 0.75, 0.25], "\(time)")
    }
    for time in ["10:05:00", "10:06:00", "10:09:59"] { #expect(try shares(time) == [0.4, 0.6, 0], "\(time)") }
  }

  @Test("a release is low below a tenth, adopted from a tenth on, and replaced when it falls below again")
  func life() throws {
    let scene = try Scene()
    try scene.receive([
      Self.document("4.1.0", Self.minutes(100...300, each: 10)),
      Self.document("4.2.0", Self.minutes(1...120, each: 10)),
      Self.document("4.3.0", Self.minutes(1...40, each: 1)),
    ])
    // 4.3.0: 24 of 264 sessions of the last day.
    #expect(try Self.stages(scene) == ["4.1.0": .replaced, "4.2.0": .adopted, "4.3.0": .low])
    let shares = try scene.report().releases.map(\.adoption)
    let wanted: [Double?] = [24.0 / 264, 240.0 / 264, 0]
    #expect(shares == wanted)
  }

  @Test("a release's stage changes after six hours at a share", arguments: [(5, ReleaseStage.low), (7, .adopted)])
  func hold(hours: Int, stage: ReleaseStage) throws {
    let scene = try Scene()
    // The hundred sessions of an hour are more than a tenth of the day from that hour on.
    try scene.receive([
      Self.document("4.2.0", Self.minutes(1...60, each: 10)),
      Self.document("4.3.0", Self.minutes(hours...hours, each: 50)),
    ])
    #expect(try Self.stages(scene)["4.3.0"] == stage)
  }

  /// Shares of the 24 hours before each full hour, session by session.
  private static func naive(_ sessions: [(version: String, minute: Int)]) -> [String: ReleaseStage] {
    var stages: [String: ReleaseStage] = [:]
    for version in Set(sessions.map(\.version)) {
      var stage = ReleaseStage.low
      var sides: [Bool] = []
      for hour in (end / 60 - 28 * 24)...(end / 60) {
        let day = sessions.filter { $0.minute >= (hour - 24) * 60 && $0.minute < hour * 60 }
        guard !day.isEmpty else {
          sides = []
          continue
        }
        let own = day.count { $0.version == version }
        sides.append(Double(own) / Double(day.count) >= 0.1)
        let held = sides.suffix(7)
        if held.count == 7, held.allSatisfy({ $0 != (stage == .adopted) }) {
          // Low stays low.
          if stage == .adopted { stage = .replaced } else if sides.last == true { stage = .adopted }
        }
      }
      stages[version] = stage
    }
    return stages
  }

  @Test("release stages equal a count session by session", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func bruteForce(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var sessions: [(version: String, minute: Int)] = []
    for version in ["4.0.0", "4.1.0", "4.2.0", "4.3.0", "4.4.0"] {
      let from = random.index(below: 20 * 24 * 60) + 60
      for _ in 0..<(5 + random.index(below: 150)) {
        sessions.append((version, Self.end - from + random.index(below: from)))
      }
    }
    let scene = try Scene()
    for version in Set(sessions.map(\.version)) {
      let own = sessions.filter { $0.version == version }.map(\.minute)
      try scene.receive([Self.document(version, own)])
    }
    #expect(try Self.stages(scene) == Self.naive(sessions))
  }

  @Test("old days count: a release adopted two months ago is replaced today")
  func longAgo() throws {
    let scene = try Scene()
    try scene.receive([
      Self.document("4.1.0", Self.minutes(1400...1500, each: 5) + [Self.end - 100]),
      Self.document("4.2.0", Self.minutes(1...40, each: 10)),
    ])
    #expect(try Self.stages(scene) == ["4.1.0": .replaced, "4.2.0": .adopted])
    // At that time it was not.
    let then = Scene.today - 59
    #expect(try Self.stages(scene, ReportQuery(from: then - 5, to: then)) == ["4.1.0": .adopted])
  }

  @Test("users count once each, and builds share the use of their version")
  func shares() throws {
    let scene = try Scene()
    let today = Scene.today.number * 1440
    try scene.receive([
      Self.document("4.2.0", build: "1", [today + 10, today + 20, today + 30], user: "a"),
      Self.document("4.2.0", build: "2", [today + 40], user: "b"),
      Self.document("4.3.0", [today + 50, today + 60], user: "c"), Self.document("4.3.0", [today + 70], user: "b"),
    ])
    let found = try scene.report().releases
    #expect(found.map(\.release.version) == ["4.3.0", "4.2.0", "4.2.0"])
    #expect(found.map(\.release.build) == ["1", "2", "1"])
    let shares: [Double?] = [3.0 / 7, 1.0 / 7, 3.0 / 7]
    #expect(found.map(\.adoption) == shares)
    // Three users; the one who updated counts for both releases.
    let userShares: [Double?] = [2.0 / 3, 1.0 / 3, 1.0 / 3]
    #expect(found.map(\.adoptionDevices) == userShares)
    #expect(found.map(\.shareOfRelease) == [1, 0.25, 0.75])
  }

  @Test("at midnight the users of the previous day count, and none of the new day")
  func midnight() throws {
    let scene = try Scene()
    let midnight = Scene.today.number * 1440
    try scene.receive(
      [
        Self.document("4.2.0", [midnight - 30], user: "a"), Self.document("4.2.0", [midnight - 20], user: "b"),
        Self.document("4.3.0", [midnight], user: "c"),
      ], at: Scene.today.startUTC)
    let found = try scene.report(now: Scene.today.startUTC).releases
    #expect(found.map(\.release.version) == ["4.3.0", "4.2.0"])
    #expect(found.map(\.adoptionDevices) == [0, 1])
  }

  private static func metricKit(_ version: String, _ day: CalendarDay, _ number: Int) -> String {
    """
    {"appVersion": "\(version)", "timeStampBegin": "\(day.iso) 00:00:00", "timeStampEnd": "\(day.iso) 23:59:00",
     "metaData": {"appBuildVersion": "1", "deviceType": "iPhone15,2", "osVersion": "iPhone OS 17.4.1 (21E236)",
       "regionFormat": "DE"}, "applicationTimeMetrics": {"cumulativeForegroundTime": "\(600 + number) sec"}}
    """
  }

  @Test("with only MetricKit, the payloads of the newest complete day count")
  func payloads() throws {
    let scene = try Scene()
    let day = Scene.today
    var bodies = (0..<20).map { Self.metricKit("4.1.0", day - 3, $0) }
    bodies +=
      (0..<18).map { Self.metricKit("4.1.0", day - 2, $0) } + (0..<2).map { Self.metricKit("4.2.0", day - 2, $0) }
    bodies += [Self.metricKit("4.1.0", day - 1, 0)] + (0..<19).map { Self.metricKit("4.2.0", day - 1, $0) }
    bodies += (0..<50).map { Self.metricKit("4.3.0", day, $0) }
    try scene.receive(bodies)
    let found = try scene.report().releases
    #expect(found.map(\.release.version) == ["4.3.0", "4.2.0", "4.1.0"])
    #expect(found.map(\.adoption) == [0, 0.95, 0.05])
    #expect(found.map(\.stage) == [.low, .adopted, .replaced])
    #expect(found.allSatisfy { $0.adoptionDevices == nil && $0.shareOfRelease == 1 })
  }
}

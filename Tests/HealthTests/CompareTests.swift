import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("Comparisons of two releases")
struct CompareTests {
  /// Phones of a model that each launched three times on 2026-11-20, from `start` ms in steps of a permille.
  private func launches(_ version: String, _ model: String, phones: Int, from start: Double) -> [String] {
    (0..<phones).map { phone in
      let values = (0..<3).map { start * (0.8 + 0.0004 * Double((phone * 3 + $0) * 769 % 1000)) }
      let parts = values.map {
        #"{"metric": "launch.first_draw", "value": \#($0), "unit": "ms", "at": "2026-11-20T10:00:00Z"}"#
      }
      return Scene.native(
        version: version, model: model, "\"measurements\": [\(parts.joined(separator: ","))]")
    }
  }

  private func compare(_ scene: Scene, _ query: ReportQuery = .init()) throws -> ReleaseComparison {
    try HealthReader(store: scene.store, budgets: DefaultBudgets.all)
      .compare(Scene.app, base: "4.1.0", head: "4.2.0", query, now: Scene.now)
  }

  @Test("a release that exists only in another environment is not compared")
  func otherEnvironment() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(100, crashed: 0, prefix: "a", version: "4.1.0"))
    try scene.receive(Scene.sessions(100, crashed: 0, prefix: "b", version: "4.2.0", environment: "testflight"))
    #expect(throws: ImpossibleComparison.unknownRelease("4.2.0", environment: "production", known: ["4.1.0"])) {
      try compare(scene)
    }
  }

  @Test("a slower launch is worse, by the numbers in the report")
  func slower() throws {
    let scene = try Scene()
    try scene.receive(launches("4.1.0", "iPhone15,2", phones: 300, from: 800))
    try scene.receive(launches("4.2.0", "iPhone15,2", phones: 300, from: 1000))
    let comparison = try compare(scene)
    let launch = try #require(comparison.metrics.first { $0.name == "launch.first_draw" })
    #expect(launch.verdict == .worse && launch.statistic == "p90" && comparison.outcome == .worse)
    #expect(try #require(launch.difference).low > 0.15 && launch.difference?.high ?? 1 < 0.35)
    let report = try scene.report(ReportQuery(release: "4.2.0"))
    let shown = try #require(report.metrics.first { $0.name == "launch.first_draw" })
    #expect(shown.percentiles[90] == launch.head.estimate && shown.n == launch.head.n)
    #expect(launch.head.nEffective == shown.nEffective)
  }

  @Test("early adopters on newer phones do not make a release faster")
  func newerPhones() throws {
    let scene = try Scene()
    for (version, old, new) in [("4.1.0", 300, 80), ("4.2.0", 80, 300)] {
      try scene.receive(launches(version, "iPhone10,3", phones: old, from: 1600))
      try scene.receive(launches(version, "iPhone17,1", phones: new, from: 800))
    }
    let launch = try #require(try compare(scene).metrics.first { $0.name == "launch.first_draw" })
    #expect(try #require(launch.rawDifference) < -0.1)
    #expect(launch.verdict == .noDifferenceShown && launch.difference?.strata == 2)
  }

  private static let models = ["iPhone10,3", "iPhone12,1", "iPhone13,2", "iPhone14,5", "iPhone15,2", "iPhone16,1"]

  @Test("device classes too small for their own bounds are compared as one with equal weights")
  func smallClasses() throws {
    let slower = try Scene()
    for model in Self.models {
      try slower.receive(launches("4.1.0", model, phones: 14, from: 800))
      try slower.receive(launches("4.2.0", model, phones: 14, from: 1600))
    }
    let launch = try #require(try compare(slower).metrics.first { $0.name == "launch.first_draw" })
    #expect(launch.verdict == .worse)
    let difference = try #require(launch.difference)
    #expect(abs(difference.value - 1) < 0.05 && difference.low > 0.5 && difference.strata > 3)

    // Early adopters own the newer phones, which are faster: the release is not.
    let newer = try Scene()
    for (index, model) in Self.models.enumerated() {
      let speed = 1600 - 150 * Double(index)
      try newer.receive(launches("4.1.0", model, phones: 14 - 2 * index, from: speed))
      try newer.receive(launches("4.2.0", model, phones: 4 + 2 * index, from: speed))
    }
    let same = try #require(try compare(newer).metrics.first { $0.name == "launch.first_draw" })
    #expect(try #require(same.rawDifference) < -0.05)
    #expect(try abs(#require(same.difference).value) < abs(#require(same.rawDifference)) / 2)
    #expect(same.verdict != .better && same.verdict != .worse)
  }

  @Test("too few values give no interval, and the missing number is stated, also for the base")
  func tooFew() throws {
    for (base, head) in [(200, 4), (4, 200)] {
      let scene = try Scene()
      try scene.receive(launches("4.1.0", "iPhone15,2", phones: base, from: 800))
      try scene.receive(launches("4.2.0", "iPhone15,2", phones: head, from: 1600))
      let launch = try #require(try compare(scene).metrics.first { $0.name == "launch.first_draw" })
      #expect(launch.verdict == .notEnoughData && launch.difference == nil)
      if base > head {
        #expect(launch.reason == .few && (40...400).contains(launch.needed ?? 0), "\(launch)")
      } else {
        #expect(launch.reason == .base && launch.needed == nil, "\(launch)")
      }
    }
  }

  @Test("a metric that a budget requires but neither release has is listed as missing")
  func required() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(3000, crashed: 6, prefix: "a", version: "4.1.0"))
    try scene.receive(Scene.sessions(3000, crashed: 6, prefix: "b"))
    let reader = try scene.reader("p90 launch.first_draw <= 2 s, require data", "p90 launch.resume <= 1 s")
    let comparison = try reader.compare(Scene.app, base: "4.1.0", head: "4.2.0", now: Scene.now)
    let launch = try #require(comparison.metrics.first { $0.name == "launch.first_draw" })
    #expect(launch.verdict == .notEnoughData && launch.requiresData && launch.base.n == 0 && launch.reason == .missing)
    #expect(comparison.outcome == .warning, "\(comparison.outcome)")
    #expect(!comparison.metrics.contains { $0.name == "launch.resume" })
  }

  @Test("a few crashes in a young release are not certain, and many are", arguments: [(5, false), (30, true)])
  func handful(crashed: Int, isCertain: Bool) throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(6000, crashed: 12, prefix: "a", version: "4.1.0"))
    try scene.receive(Scene.sessions(400, crashed: crashed, prefix: "b"))
    let compared = try #require(try compare(scene).metrics.first { $0.name == "sessions.crash_free" })
    #expect(compared.verdict == .worse && compared.isCertain == isCertain)
  }

  @Test("crash-free sessions are compared, and a few more crashes prove nothing")
  func crashFree() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(3000, crashed: 6, prefix: "a", version: "4.1.0"))
    try scene.receive(Scene.sessions(3000, crashed: 90, prefix: "b"))
    // The margin is half of what the budget allows, and at most half of the 0.2 % that the base has.
    let worse = try #require(try compare(scene).metrics.first { $0.name == "sessions.crash_free" })
    #expect(worse.verdict == .worse && !worse.isRelative && abs(worse.margin - 0.001) < 1e-9)
    #expect(try #require(worse.difference).high < 0)
    // Of a base with more crashes than the budget allows, half of what it allows.
    let bad = try Scene()
    try bad.receive(Scene.sessions(3000, crashed: 150, prefix: "a", version: "4.1.0"))
    try bad.receive(Scene.sessions(3000, crashed: 150, prefix: "b"))
    let strict = try bad.reader("sessions.crash_free >= 99 %")
      .compare(Scene.app, base: "4.1.0", head: "4.2.0", now: Scene.now)
    #expect(abs(try #require(strict.metrics.first { $0.name == "sessions.crash_free" }).margin - 0.005) < 1e-9)
    let other = try Scene()
    try other.receive(Scene.sessions(300, crashed: 1, prefix: "a", version: "4.1.0"))
    try other.receive(Scene.sessions(300, crashed: 3, prefix: "b"))
    let close = try #require(try compare(other).metrics.first { $0.name == "sessions.crash_free" })
    #expect(close.verdict == .notEnoughData && close.reason != nil)
  }

  /// 40 users who used two builds and two models of phones on one day, the first of them crashed on both.
  @Test("a user with two builds or devices is one user-day in every sum of rows")
  func userDays() throws {
    let scene = try Scene()
    for version in ["4.1.0", "4.2.0"] {
      for (build, model) in [("1", "iPhone15,2"), ("2", "iPhone17,1")] {
        try scene.receive(
          (0..<40).map { user in
            let session =
              #"{"id": "\#(version)-\#(build)-\#(user)", "started": "2026-11-17T10:00:00Z", "#
              + #""status": "\#(user == 0 ? "crashed" : "exited")"}"#
            return Scene.native(
              version: version, build: build, model: model, installation: "\(version)-\(user)",
              #""sessions": [\#(session)]"#)
          })
      }
    }
    let report = try scene.report(ReportQuery(release: "4.2.0"))
    #expect(report.sessions.crashFree.n == 80 && report.users.crashFreeDaily.n == 40)
    #expect(report.users.crashFreeDaily.estimate.value == 39.0 / 40)
    let days = try #require(try compare(scene).metrics.first { $0.name == "users.crash_free_daily" })
    #expect(days.base.n == 40 && days.head.n == 40 && days.head.estimate == report.users.crashFreeDaily.estimate)
    let compared = try #require(try compare(scene).metrics.first { $0.name == "sessions.crash_free" })
    #expect(compared.head.estimate == report.sessions.crashFree.estimate && compared.head.n == 80)
    var whole = ReportQuery()
    whole.isWholeApp = true
    let all = try scene.reader("users.crash_free_daily >= 99.5%, on iOS 17").check(Scene.app, whole, now: Scene.now)
    #expect(all.first?.n == 80)
  }

  @Test("if the base is too small, that is stated instead of one more session of the head", arguments: [1, 4])
  func smallBase(times: Int) throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(368, crashed: 1, prefix: "a", version: "4.1.0"))
    try scene.receive(Scene.sessions(6321 * times, crashed: 79 * times, prefix: "b"))
    let compared = try #require(try compare(scene).metrics.first { $0.name == "sessions.crash_free" })
    #expect(compared.verdict == .notEnoughData && compared.reason == .base && compared.needed == nil)
  }

  @Test("only days that both releases have are compared")
  func sameDays() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(500, crashed: 400, prefix: "a", started: "2026-11-15T10:00:00Z", version: "4.1.0"))
    try scene.receive(Scene.sessions(1000, crashed: 2, prefix: "b", started: "2026-11-17T10:00:00Z", version: "4.1.0"))
    try scene.receive(Scene.sessions(1000, crashed: 2, prefix: "c", started: "2026-11-17T10:00:00Z"))
    let comparison = try compare(scene)
    let sessions = try #require(comparison.metrics.first { $0.name == "sessions.crash_free" })
    #expect(sessions.base.n == 1000 && sessions.head.n == 1000 && sessions.days == 1)
    #expect(comparison.window.from.iso == "2026-11-17" && comparison.window.days == 1)
  }

  @Test("a metric that cannot be compared states the reason")
  func impossible() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(5, crashed: 0, prefix: "a", started: "2026-11-10T10:00:00Z", version: "4.1.0"))
    try scene.receive(Scene.sessions(5, crashed: 0, prefix: "b"))
    #expect(throws: ImpossibleComparison.self) { try compare(scene) }
    let reader = HealthReader(store: scene.store, budgets: [])
    #expect(throws: ImpossibleComparison.sameRelease("4.1.0")) {
      try reader.compare(Scene.app, base: "4.1.0", head: "4.1.0", now: Scene.now)
    }
    #expect(throws: ImpossibleComparison.unknownRelease("9", environment: "production", known: ["4.2.0", "4.1.0"])) {
      try reader.compare(Scene.app, base: "9", head: "4.1.0", now: Scene.now)
    }
  }

  @Test("a version is not compared with one of its builds, but two builds of a version are compared")
  func overlapping() throws {
    let scene = try Scene()
    let sessions = { (build: String) in
      Scene.native(
        version: "4.2.0", build: build,
        #""sessions": [{"id": "\#(build)", "started": "2026-11-20T10:00:00Z", "status": "ok"}]"#)
    }
    try scene.receive([sessions("1"), sessions("2")])
    let reader = HealthReader(store: scene.store, budgets: [])
    for (base, head) in [("4.2.0", "4.2.0 (1)"), ("4.2.0 (1)", "4.2.0")] {
      #expect(throws: ImpossibleComparison.overlapping(build: "4.2.0 (1)", release: "4.2.0")) {
        try reader.compare(Scene.app, base: base, head: head, now: Scene.now)
      }
    }
    #expect(try reader.compare(Scene.app, base: "4.2.0 (1)", head: "4.2.0 (2)", now: Scene.now).window.days == 1)
  }

  @Test("a budget on some devices does not count as one on the whole comparison")
  func narrowBudget() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(300, crashed: 1, prefix: "a", version: "4.1.0"))
    try scene.receive(Scene.sessions(300, crashed: 3, prefix: "b"))
    func budget(_ lines: String...) throws -> String? {
      let text = "budgets:\n" + lines.map { "- \($0)\n" }.joined()
      let reader = HealthReader(store: scene.store, budgets: try BudgetFile.parse(text, fileName: "b").budgets)
      return try reader.compare(Scene.app, base: "4.1.0", head: "4.2.0", now: Scene.now).metrics
        .first { $0.name == "sessions.crash_free" }?.budget
    }
    #expect(try budget("sessions.crash_free >= 99 %, on iPhone 12 and older") == "sessions.crash_free >= 99.5 %")
    #expect(try budget("p90 screen.load <= 1 s, on iPhone 12 and older") == nil)
    #expect(
      try budget("sessions.crash_free >= 98 %, in testflight", "sessions.crash_free >= 99 %, for last release")
        == "sessions.crash_free >= 99 %, for last release")
  }
}

import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

/// What one judgement is about, beside what, and over which days. Numbers are counted by hand.
@Suite("The judgement on an app") struct JudgementTests {
  private static let budget = "sessions.crash_free >= 99%"
  private static let today = "2026-11-20T09:00:00Z"

  /// On the last day 4.3.0 has 2 % of 1,000 sessions, 4.2.0 60 % and 4.1.0 38 %. `crashed`: of the 380 of 4.1.0.
  private static func threeReleases(crashed: Int = 0) throws -> HealthReader {
    let scene = try Scene()
    try scene.receive(
      Scene.sessions(20, crashed: 0, prefix: "a", started: today, version: "4.3.0")
        + Scene.sessions(600, crashed: 30, prefix: "b", started: today, version: "4.2.0")
        + Scene.sessions(400, crashed: 0, prefix: "c", started: "2026-11-12T09:00:00Z", version: "4.2.0")
        + Scene.sessions(380, crashed: crashed, prefix: "d", started: today, version: "4.1.0")
        // Before the 28 days of a page, but of the release's life.
        + Scene.sessions(3000, crashed: 15, prefix: "e", started: "2026-10-20T09:00:00Z", version: "4.1.0"))
    return try scene.reader(budget)
  }

  private static func judgement(_ query: ReportQuery = .init(), crashed: Int = 0) throws -> Judgement {
    try threeReleases(crashed: crashed).judgement(Scene.app, query, now: Scene.now)
  }

  private static func day(_ iso: String) -> CalendarDay { CalendarDay(iso: iso)! }

  @Test("of releases with 2 %, 60 % and 38 % adoption, the second is judged against the third, and the first waits")
  func adopted() throws {
    let judgement = try Self.judgement()
    #expect(judgement.release?.release.version == "4.2.0" && judgement.release?.adoption == 0.6)
    #expect(judgement.previous?.release.version == "4.1.0")
    #expect(judgement.waiting.map(\.release.version) == ["4.3.0"] && judgement.waiting.map(\.adoption) == [0.02])
    #expect(judgement.slice == Slice(release: "4.2.0"))
  }

  @Test("each release is judged over its own lifetime: from its first day to the newest day")
  func lives() throws {
    let judgement = try Self.judgement()
    #expect(judgement.window == Window(from: Self.day("2026-11-12"), to: Scene.today))
    let budget = try #require(judgement.budgets.first)
    #expect(judgement.budgets.count == 1 && budget.title == "Crash-free sessions")
    #expect(budget.result.n == 1000 && budget.result.value == 0.97 && budget.result.verdict == .broken)
    let before = try #require(budget.before)
    #expect(before.n == 3380 && before.value == 1 - 15.0 / 3380 && before.verdict == .within)
    #expect(before.window == Window(from: Self.day("2026-10-20"), to: Scene.today))
    #expect(judgement.verdict == .broken && judgement.advice == .hold && judgement.broken == judgement.budgets)
    // The trends are of the same days, those before the release included.
    #expect(budget.trend.map(\.day) == budget.trendBefore.map(\.day))
    #expect(budget.trend.map(\.day) == Window(days: 28, endingOn: Scene.today).allDays)
    #expect(budget.trend.filter { $0.n > 0 }.map(\.n) == [400, 600])
    #expect(budget.trendBefore.filter { $0.n > 0 }.map(\.n) == [380])
  }

  @Test("a requested release is judged whatever its share, against the one before it")
  func asked() throws {
    let newest = try Self.judgement(ReportQuery(release: "4.3.0"))
    #expect(newest.release?.adoption == 0.02 && newest.budgets.map(\.result.n) == [20])
    #expect(newest.previous?.release.version == "4.2.0" && newest.waiting.isEmpty)
    let oldest = try Self.judgement(ReportQuery(release: "4.1.0"))
    #expect(oldest.budgets.map(\.result.n) == [3380] && oldest.previous == nil)
    #expect(oldest.budgets.map(\.before) == [nil])
  }

  @Test("the whole app is judged over the days of a page, without a comparison")
  func wholeApp() throws {
    var query = ReportQuery()
    query.isWholeApp = true
    let judgement = try Self.judgement(query)
    #expect(judgement.release == nil && judgement.previous == nil && judgement.waiting.isEmpty)
    #expect(judgement.window == Window(days: 28, endingOn: Scene.today) && judgement.slice == Slice())
    #expect(judgement.budgets.map(\.result.n) == [1400] && judgement.budgets.map(\.before) == [nil])
    #expect(try ReportQuery { ["release": "all"][$0] } == query)
  }

  @Test("a version includes all its builds, and the release before it is another version")
  func versions() throws {
    let scene = try Scene()
    func sessions(_ version: String, _ build: String, _ count: Int) -> String {
      let parts = (0..<count).map {
        #"{"id": "\#(version)-\#(build)-\#($0)", "started": "\#(Self.today)", "status": "exited"}"#
      }
      return Scene.native(version: version, build: build, "\"sessions\": [\(parts.joined(separator: ","))]")
    }
    try scene.receive([sessions("5.0", "9", 30), sessions("5.0", "10", 10), sessions("4.9", "7", 60)])
    let reader = try scene.reader(Self.budget)
    func judged(_ name: String?) throws -> (Judgement, [Int]) {
      let judgement = try reader.judgement(Scene.app, ReportQuery(release: name), now: Scene.now)
      return (judgement, judgement.budgets.map(\.result.n))
    }
    let (version, all) = try judged("5.0")
    #expect(all == [40] && version.release?.release.title == "5.0" && version.release?.adoption == 0.4)
    #expect(version.previous?.release.version == "4.9")
    let (build, own) = try judged("5.0 (10)")
    #expect(own == [10] && build.previous?.release.title == "5.0 (9)")
    let (newest, ofNewest) = try judged(nil)
    #expect(newest.release?.release.title == "5.0 (10)" && ofNewest == [10])
    #expect(newest.previous?.release.title == "5.0 (9)")
  }

  @Test("requested days limit both releases, and decide which is the newest in use")
  func days() throws {
    let last = try Self.judgement(ReportQuery(from: Scene.today))
    #expect(last.window == Window(from: Scene.today, to: Scene.today))
    #expect(last.budgets.map(\.result.n) == [600] && last.budgets.map { $0.before?.n } == [380])
    let then = try Self.judgement(ReportQuery(to: Self.day("2026-11-12")))
    #expect(then.release?.release.version == "4.2.0" && then.release?.adoption == 1)
    #expect(then.budgets.map(\.result.n) == [400] && then.budgets.map { $0.before?.n } == [3000])
    let both = try Self.judgement(ReportQuery(from: Self.day("2026-10-20"), to: Self.day("2026-10-25")))
    #expect(both.release?.release.version == "4.1.0" && both.previous == nil)
    #expect(both.window == Window(from: Self.day("2026-10-20"), to: Self.day("2026-10-25")))
    #expect(both.budgets.map(\.result.n) == [3000])
  }

  @Test("payloads without a version, or a release with only crashes, are never the judged release")
  func unnamed() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(900, crashed: 90, prefix: "a", started: Self.today, version: ""))
    let reader = try scene.reader(Self.budget)
    let only = try reader.judgement(Scene.app, now: Scene.now)
    #expect(only.release == nil && only.slice == Slice() && only.budgets.map(\.result.n) == [900])
    #expect(only.advice == .hold)
    let unknown = try #require(try reader.status(Scene.app, now: Scene.now).releases.first)
    #expect(unknown.release.title == "(unknown)" && unknown.adoption == 1 && unknown.stage == nil)
    // With a tenth of the use, a named one is judged; beside nothing, as no other is named.
    try scene.receive(Scene.sessions(100, crashed: 0, prefix: "b", started: Self.today, version: "4.2.0"))
    let named = try reader.judgement(Scene.app, now: Scene.now)
    #expect(named.release?.release.version == "4.2.0" && named.previous == nil)
  }

  @Test("an app that sent only crashes is judged as a whole, with not enough data")
  func onlyCrashes() throws {
    let scene = try Scene()
    let crash = #""crashes": [{"at": "2026-11-20T10:00:00Z", "exception": "EXC_BAD_ACCESS", "signal": 11}]"#
    try scene.receive((0..<30).map { Scene.native(version: "4.2.0", installation: "user-\($0)", crash) })
    let judgement = try scene.reader(Self.budget).judgement(Scene.app, now: Scene.now)
    #expect(judgement.release == nil && judgement.advice == .wait && judgement.verdict == .notEnoughData)
    #expect(judgement.budgets.map(\.result.n) == [0])
  }

  @Test("an app without data, and a release that never existed, have an empty judgement")
  func nothing() throws {
    let empty = try Scene().reader(Self.budget).judgement(Scene.app, now: Scene.now)
    #expect(empty.release == nil && empty.advice == .wait && empty.budgets.map(\.result.n) == [0])
    let unknown = try Self.judgement(ReportQuery(release: "9.9"))
    #expect(unknown.release == nil && unknown.advice == .wait && unknown.budgets.map(\.result.n) == [0])
  }

  @Test("a breach is as old as the release, or as the one before if that broke it as badly")
  func since() throws {
    let own = try #require(try Self.judgement().budgets.first)
    #expect(own.since == Self.day("2026-11-12") && !own.wasBroken)
    // 115 of 3,380 is 3.4 %.
    let inherited = try #require(try Self.judgement(crashed: 100).budgets.first)
    #expect(inherited.before?.verdict == .broken)
    #expect(inherited.since == Self.day("2026-10-20") && inherited.wasBroken)
    let met = try #require(try Self.judgement(ReportQuery(release: "4.1.0")).budgets.first)
    #expect(met.result.verdict == .within && met.since == nil)
  }

  @Test("for a whole app, a breach is as old as the consecutive days up to the newest")
  func sinceOfWholeApp() throws {
    let scene = try Scene()
    for (day, value) in [("14", 3000.0), ("15", 400), ("17", 2500), ("19", 2600), ("20", 2700)] {
      try scene.receive(
        Scene.samples("screen.load", "ms", Array(repeating: [value], count: 20), at: "2026-11-\(day)T10:00:00Z"))
    }
    var query = ReportQuery()
    query.isWholeApp = true
    let reader = try scene.reader("p50 screen.load <= 1 s")
    let broken = try reader.judgement(Scene.app, query, now: Scene.now).broken
    #expect(broken.map(\.since) == [Self.day("2026-11-17")])
  }

  @Test("device classes are listed worst first, and only for broken budgets")
  func classes() throws {
    let scene = try Scene()
    // 0.2 of one class, 0.1 of another and none of a third crash; a fourth has too few to tell.
    for (model, count, crashed) in [
      ("iPhone15,2", 300, 30), ("iPhone17,1", 600, 0), ("iPhone12,1", 300, 60), ("iPhone14,5", 5, 0),
    ] {
      let parts = (0..<count).map {
        #"{"id": "\#(model)-\#($0)", "started": "2026-11-17T10:00:00Z", "status": "\#($0 < crashed ? "crashed" : "exited")"}"#
      }
      try scene.receive([Scene.native(model: model, "\"sessions\": [\(parts.joined(separator: ","))]")])
    }
    let reader = try scene.reader(
      Self.budget, "sessions.crash_free >= 50%", "sessions.crash_free >= 99%, on iPhone12,*")
    let judgement = try reader.judgement(Scene.app, now: Scene.now)
    let broken = try #require(judgement.budgets.first)
    #expect(broken.result.verdict == .broken && broken.result.n == 1205)
    #expect(broken.classes.map(\.key) == ["iPhone 12 and older", "iPhone 14", "iPhone 13", "iPhone 16"])
    #expect(broken.classes.map(\.result.verdict) == [.broken, .broken, .notEnoughData, .within])
    #expect(
      broken.classes.map(\.result.value) == [0.8, 0.9, 1, 1] && broken.classes.map(\.result.n) == [300, 300, 5, 600])
    // Met, and about some devices only.
    #expect(judgement.budgets[1].classes.isEmpty && judgement.budgets[2].result.verdict == .broken)
    #expect(judgement.budgets[2].classes.isEmpty)
    let narrow = try reader.judgement(Scene.app, ReportQuery(deviceClass: "iPhone 14"), now: Scene.now)
    #expect(narrow.budgets[0].result.n == 300 && narrow.budgets[0].classes.isEmpty)
  }

  @Test("labels are listed worst first, and only for metrics that have labels")
  func labels() throws {
    let scene = try Scene()
    for (label, value) in [("Cart", 1500.0), ("Home", 500), ("Search", 1100)] {
      try scene.receive(
        Scene.samples("screen.load", "ms", Array(repeating: [value], count: 200), label: label))
    }
    try scene.receive(Scene.samples("memory.peak", "B", Array(repeating: [4e8], count: 200)))
    let reader = try scene.reader("p50 screen.load <= 1 s", "p50 memory.peak <= 300 MB")
    let judgement = try reader.judgement(Scene.app, now: Scene.now)
    #expect(judgement.broken.count == 2)
    let broken = try #require(judgement.broken.first { $0.result.metric == "screen.load" })
    #expect(broken.labels.map(\.key) == ["Cart", "Search", "Home"])
    #expect(broken.labels.map(\.result.verdict) == [.broken, .broken, .within])
    #expect(broken.labels.map(\.result.n) == [200, 200, 200] && broken.labels[0].result.slice.label == "Cart")
    #expect(judgement.broken.first { $0.result.metric == "memory.peak" }?.labels == [])
    // The page of one screen has nothing to divide.
    let own = try reader.judgement(Scene.app, ReportQuery(label: "Cart"), now: Scene.now)
    #expect(own.budgets[0].result.n == 200 && own.budgets[0].labels.isEmpty)
  }

  @Test("broken budgets come before warnings, each in the order of the budgets")
  func order() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(1000, crashed: 30))
    let reader = try scene.reader(
      "sessions.crash_free >= 90%, warn at 99%", "sessions.crash_free >= 99%", "sessions.crash_free >= 50%",
      "sessions.crash_free >= 99.5%")
    let judgement = try reader.judgement(Scene.app, now: Scene.now)
    #expect(judgement.broken.map(\.result.target) == [0.99, 0.995, 0.9])
    #expect(judgement.counts == [.broken: 2, .warning: 1, .within: 1])
  }

  @Test("simulated payloads are shown and never judged, with or without a release, however bad they are")
  func simulated() throws {
    let scene = try Scene()
    try scene.receive(
      Scene.sessions(600, crashed: 300, started: "2026-11-17T10:00:00Z", environment: "simulated"))
    let reader = try scene.reader(Self.budget, "sessions.crash_free >= 99%, for last release")
    var whole = ReportQuery()
    whole.isWholeApp = true
    for query in [ReportQuery(), whole, ReportQuery(release: "4.2.0")] {
      let judgement = try reader.judgement(Scene.app, query, now: Scene.now)
      #expect(judgement.verdict == .notEnoughData && judgement.advice == .wait && judgement.broken.isEmpty)
      let budget = try #require(judgement.budgets.first { $0.result.n > 0 })
      #expect(budget.result.value == 0.5 && budget.result.bound == nil && budget.classes.isEmpty)
      #expect(budget.result.reasonText == "Simulated payloads are not judged.")
      #expect(try reader.check(Scene.app, query, now: Scene.now).allSatisfy { $0.verdict == .notEnoughData })
    }
    // Beside production they are not even shown, unless asked for.
    try scene.receive(Scene.sessions(600, crashed: 300, prefix: "p", started: "2026-11-17T10:00:00Z"))
    #expect(try reader.judgement(Scene.app, now: Scene.now).advice == .hold)
    let asked = try reader.judgement(Scene.app, ReportQuery(environment: "simulated"), now: Scene.now)
    #expect(asked.advice == .wait && asked.budgets.first?.result.value == 0.5)
  }
}

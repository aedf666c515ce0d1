import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

/// Budgets that name releases. On the last day 4.10.0 has 5 % of the sessions, 4.2.0 60 %, 4.1.0 35 %.
struct VerdictReleaseTests {
  private static func scene() throws -> Scene {
    let scene = try Scene()
    let today = "2026-11-20T10:00:00Z"
    try scene.receive(
      Scene.sessions(50, crashed: 0, prefix: "a", started: today, version: "4.10.0")
        + Scene.sessions(600, crashed: 0, prefix: "b", started: today, version: "4.2.0")
        + Scene.sessions(350, crashed: 0, prefix: "c", started: today, version: "4.1.0")
        + Scene.sessions(1000, crashed: 20, prefix: "d", started: "2026-11-12T10:00:00Z", version: "4.2.0")
        + Scene.sessions(3000, crashed: 0, prefix: "e", started: "2026-11-02T10:00:00Z", version: "4.1.0")
        + Scene.sessions(70, crashed: 0, prefix: "f", started: "2026-10-30T10:00:00Z", version: "4.0.0"))
    return scene
  }

  private static func results(_ clauses: String, _ query: ReportQuery = .init()) throws -> [BudgetResult] {
    try scene().reader("sessions.crash_free >= 99.5%, \(clauses)").check(app, query, now: Scene.now)
  }

  private static let app = Scene.app

  @Test("a budget covers the newest releases by version, each over its own lifetime and each once")
  func last() throws {
    let results = try Self.results("for last 3 releases")
    #expect(results.map(\.slice.release) == ["4.10.0", "4.2.0", "4.1.0"])
    #expect(results.map(\.window.from.iso) == ["2026-11-20", "2026-11-12", "2026-11-02"])
    #expect(results.map(\.n) == [50, 1600, 3350])
    // 20 of 1,600 is 1.25 %; nothing of 3,350 is within.
    #expect(results.map(\.verdict) == [.notEnoughData, .broken, .within])
    #expect(try Self.results("for last 9 releases").count == 4)
    #expect(try Self.results("for last release").map(\.slice.release) == ["4.10.0"])
  }

  @Test("a budget with an adoption covers only releases above it")
  func adoption() throws {
    #expect(try Self.results("with adoption > 10 %").map(\.slice.release) == ["4.2.0", "4.1.0"])
    #expect(try Self.results("with adoption > 35 %").map(\.slice.release) == ["4.2.0"])
    #expect(try Self.results("with adoption > 0 %").map(\.slice.release) == ["4.10.0", "4.2.0", "4.1.0"])
  }

  @Test("a build without users takes no place among the newest releases")
  func both() throws {
    #expect(try Self.results("for last release, with adoption > 10 %").map(\.slice.release) == ["4.2.0"])
    #expect(try Self.results("with adoption > 10 %, for last 5 releases").map(\.slice.release) == ["4.2.0", "4.1.0"])
  }

  @Test("if no release matches, there is not enough data, with the reason")
  func none() throws {
    let results = try Self.results("with adoption > 90 %, require data")
    #expect(results.count == 1)
    #expect(results[0].verdict == .notEnoughData)
    #expect(results[0].reason == .unmatched)
    #expect(results[0].reasonText == "No release has adoption > 90 %.")
    #expect(results[0].slice.release == nil)
    let empty = try Scene().reader("sessions.crash_free >= 99.5%, for last 2 releases")
    #expect(try empty.check(Self.app, now: Scene.now).map(\.reasonText) == ["No release has data in this window."])
  }

  @Test("a release is within budget only on sessions that started over a day ago")
  func young() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(5000, crashed: 0, started: "2026-11-20T10:00:00Z"))
    let reader = try scene.reader("sessions.crash_free >= 99.5%, for last release")
    #expect(try reader.check(Self.app, now: Scene.now).map(\.verdict) == [.notEnoughData])
    let later = Timestamp(milliseconds: Scene.now.milliseconds + 3 * 86_400_000)
    #expect(try reader.check(Self.app, now: later).map(\.verdict) == [.within])
  }

  @Test(
    "sessions of the day before yesterday have settled, and yesterday's have not",
    arguments: [("2026-11-18", Verdict.within), ("2026-11-19", .notEnoughData)])
  func settled(day: String, verdict: Verdict) throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(5000, crashed: 0, started: "\(day)T23:59:00Z"))
    let reader = try scene.reader("sessions.crash_free >= 99.5%, for last release")
    #expect(try reader.check(Self.app, now: Scene.now).map(\.verdict) == [verdict])
  }

  @Test("a release of unknown adoption is not adopted")
  func unknownAdoption() throws {
    let scene = try Scene()
    // Of 4.2.0 nothing but a crash came in: nothing by which its use is counted.
    let crash = #""crashes": [{"at": "2026-11-20T10:00:00Z", "exception": "EXC_BAD_ACCESS", "signal": 11}]"#
    try scene.receive(
      Scene.sessions(100, crashed: 0, started: "2026-11-20T10:00:00Z", version: "4.1.0")
        + [Scene.native(version: "4.2.0", crash)])
    let reader = try scene.reader("sessions.crash_free >= 99.5%, with adoption > 0 %")
    let releases = try reader.report(Self.app, now: Scene.now).releases
    #expect(releases.map(\.release.version) == ["4.2.0", "4.1.0"] && releases.map(\.adoption) == [nil, 1])
    #expect(try reader.check(Self.app, now: Scene.now).map(\.slice.release) == ["4.1.0"])
  }

  @Test("with given days, a release is found and judged within them")
  func days() throws {
    let results = try Self.results("for last 3 releases, over 7 d")
    #expect(results.map(\.slice.release) == ["4.10.0", "4.2.0", "4.1.0"])
    #expect(results.map(\.n) == [50, 600, 350])
    #expect(try Self.results("for last 9 releases, over 15 d").count == 3)
  }

  @Test("in another environment its own releases count")
  func environment() throws {
    let scene = try Self.scene()
    try scene.receive(Scene.sessions(40, crashed: 0, prefix: "t", version: "5.0.0", environment: "testflight"))
    let reader = try scene.reader("sessions.crash_free >= 99.5%, for last 2 releases, in testflight")
    let results = try reader.check(Self.app, now: Scene.now)
    #expect(results.map(\.slice.release) == ["5.0.0"])
    #expect(results.map(\.slice.environment) == ["testflight"])
    #expect(results.map(\.n) == [40])
  }

  @Test("on a release's page, a budget is about that release")
  func page() throws {
    let results = try Self.results("for last 3 releases", ReportQuery(release: "4.1.0"))
    #expect(results.map(\.slice.release) == ["4.1.0"])
    let old = try Self.results("for last 2 releases", ReportQuery(release: "4.1.0"))
    #expect(old.map(\.reason) == [.unmatched])
    #expect(old.map(\.reasonText) == ["The budget does not apply to release 4.1.0."])
  }

  @Test("on a page for one OS version, a release older than 35 days is judged on the available days")
  func oldReleaseOnOneSystem() throws {
    let scene = try Scene()
    for day in ["2026-09-20", "2026-11-19"] {
      let received = try #require(Timestamp(iso: "\(day)T10:00:00Z"))
      try scene.receive(Scene.sessions(30, crashed: 0, prefix: day, started: received.iso), at: received)
    }
    let query = ReportQuery(os: "iOS 17.4.1")
    let results = try scene.reader("sessions.crash_free >= 99.5%").check(Self.app, query, now: Scene.now)
    #expect(results.map(\.n) == [30])
    #expect(results.map(\.slice.release) == ["4.2.0"])
    let last = try scene.reader("sessions.crash_free >= 99.5%, for last release")
    #expect(try last.check(Self.app, query, now: Scene.now).map(\.n) == [30])
  }

  @Test("other budgets are judged on the newest release in use and come before those that name releases")
  func others() throws {
    let reader = try Self.scene().reader(
      "sessions.crash_free >= 99%, for last 2 releases", "sessions.crash_free >= 99.5%")
    let results = try reader.check(Self.app, now: Scene.now)
    #expect(results.map(\.target) == [0.995, 0.99, 0.99])
    #expect(results.map(\.slice.release) == ["4.10.0", "4.10.0", "4.2.0"])
    let named = try reader.check(Self.app, ReportQuery(release: "4.2.0"), now: Scene.now)
    #expect(named.map(\.slice.release) == ["4.2.0", "4.2.0"])
    var whole = ReportQuery()
    whole.isWholeApp = true
    #expect(try reader.check(Self.app, whole, now: Scene.now).map(\.slice.release) == ["4.10.0", "4.2.0", nil])
  }

  @Test("the file that init writes gives the verdicts of the defaults")
  func template() throws {
    let scene = try Self.scene()
    try scene.receive(
      Scene.samples("screen.load", "ms", (1...60).map { [Double($0 * 31 % 1500)] })
        + Scene.samples("ui.frame_rate", "fps", (1...60).map { [Double(50 + $0 % 11)] }))
    let file = try BudgetFile.parse(BudgetTemplate.text(app: Self.app.bundleID), fileName: "budgets.yaml")
    let own = HealthReader(store: scene.store, budgets: Budget.effective(file: file))
    let defaults = HealthReader(store: scene.store, budgets: Budget.effective(file: nil))
    var whole = ReportQuery()
    whole.isWholeApp = true
    let results = try own.check(Self.app, whole, now: Scene.now)
    #expect(results.count > 2)
    #expect(results == (try defaults.check(Self.app, whole, now: Scene.now)))
    #expect(try own.report(Self.app, now: Scene.now) == defaults.report(Self.app, now: Scene.now))
  }
}

import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

struct ScopeTests {
  private static func value(_ environment: String, day: String, version: String = "4.2.0") -> String {
    Scene.native(
      version: version, environment: environment,
      #""measurements": [{"metric": "screen.load", "value": 100, "unit": "ms", "at": "\#(day)T10:00:00Z"}]"#)
  }

  @Test("the window is the 28 days up to the newest day with data, and states that day's age")
  func window() throws {
    let scene = try Scene()
    try scene.receive([Self.value("production", day: "2026-11-17"), Self.value("simulated", day: "2026-11-20")])
    let report = try scene.report()
    #expect(report.window == Window(from: Scene.today - 30, to: Scene.today - 3))
    #expect(report.staleDays == 3)
    #expect(report.slice.environment == "production")
    #expect(report.environmentNote == nil)
  }

  @Test("without production, the first of testflight, other names and simulated is shown, with a note")
  func environments() throws {
    for (sent, shown) in [
      (["simulated", "beta", "testflight"], "testflight"), (["simulated", "nightly", "beta"], "beta"),
      (["simulated"], "simulated"),
    ] {
      let scene = try Scene()
      try scene.receive(sent.map { Self.value($0, day: "2026-11-20") })
      let report = try scene.report()
      #expect(report.slice.environment == shown)
      #expect(report.environmentNote?.contains(shown) == true)
    }
  }

  @Test("an environment with data only outside the window is not shown in it")
  func environmentOfAWindow() throws {
    let scene = try Scene()
    try scene.receive([
      Self.value("production", day: "2026-11-20"), Self.value("testflight", day: "2026-10-02"),
      Self.value("production", day: "2026-08-02", version: "4.0.0"),
    ])
    let october = ReportQuery(from: CalendarDay(iso: "2026-10-01"), to: CalendarDay(iso: "2026-10-03"))
    #expect(try scene.report(october).slice.environment == "testflight")
  }

  @Test("an app without data has an empty report of production without a note")
  func empty() throws {
    let report = try Scene().report()
    #expect(report.slice.environment == "production")
    #expect(report.environmentNote == nil)
    #expect(report.staleDays == nil)
    #expect(report.metrics.isEmpty)
    #expect(report.exits.foreground == nil)
    #expect(report.sessions.crashFree.estimate == .unknown)
  }

  @Test("adoption is the share of the last 24 hours' sessions, and releases are listed newest version first")
  func adoption() throws {
    let scene = try Scene()
    try scene.receive(
      Scene.sessions(30, crashed: 0, prefix: "a", started: "2026-11-20T09:00:00Z", version: "4.10.0")
        + Scene.sessions(10, crashed: 0, prefix: "b", started: "2026-11-19T13:00:00Z", version: "4.9.2")
        // More than 24 hours before noon of the 20th.
        + Scene.sessions(100, crashed: 1, prefix: "c", started: "2026-11-19T11:00:00Z", version: "4.9.2"))
    let releases = try scene.report().releases
    #expect(releases.map(\.release.version) == ["4.10.0", "4.9.2"])
    #expect(releases.map(\.adoption) == [0.75, 0.25])
    #expect(releases.map(\.sessions) == [30, 110])
    #expect(releases[1].firstSeen == Scene.today - 1)
    #expect(releases[1].crashFree.estimate.value == 1 - 1.0 / 110)
  }

  @Test("the last 24 hours are those of the app's time zone, however far from UTC", arguments: [14, -11])
  func zones(hours: Int) throws {
    let scene = try Scene()
    var app = Scene.app
    app.settings.timeZone = hours > 0 ? "Pacific/Kiritimati" : "Pacific/Pago_Pago"
    try scene.receive(
      Scene.sessions(3, crashed: 0, prefix: "a", started: "2026-11-20T11:30:00Z", version: "2.0")
        + Scene.sessions(1, crashed: 0, prefix: "b", started: "2026-11-19T13:00:00Z", version: "1.0")
        + Scene.sessions(50, crashed: 0, prefix: "c", started: "2026-11-19T11:00:00Z", version: "1.0"),
      clock: TimeZoneOffsets(utcOffsetSeconds: hours * 3600))
    let report = try HealthReader(store: scene.store, budgets: []).report(app, now: Scene.now)
    #expect(report.releases.map(\.adoption) == [0.75, 0.25])
    #expect(report.staleDays == 0)
  }

  @Test("a session belongs to the day by the zone's clock at that time, even after a change to winter time")
  func summerTime() throws {
    let scene = try Scene()
    // Berlin in 2026: clocks went back at 01:00 UTC on 25 October. 22:30 UTC the day before was 00:30.
    let clock = TimeZoneOffsets(
      utcOffsetSeconds: 7200,
      changes: [
        TimeZoneOffsets.Change(at: try #require(Timestamp(iso: "2026-10-25T01:00:00Z")), utcOffsetSeconds: 3600)
      ])
    let received = try #require(Timestamp(iso: "2026-10-25T10:00:00Z"))
    let sunday = try #require(CalendarDay(iso: "2026-10-25"))
    try scene.receive(
      Scene.sessions(3, crashed: 0, prefix: "a", started: "2026-10-24T22:30:00Z")
        + Scene.sessions(5, crashed: 0, prefix: "b", started: "2026-10-24T21:30:00Z")
        + Scene.sessions(7, crashed: 0, prefix: "c", started: "2026-10-25T22:30:00Z"), at: received, clock: clock)
    // Told of again in winter, by a record that looks back over the change.
    try scene.receive(Scene.sessions(3, crashed: 3, prefix: "a", started: "2026-10-24T22:30:00Z"), clock: clock)
    func total(_ day: CalendarDay) throws -> Int {
      try scene.report(ReportQuery(from: day, to: day)).sessions.total
    }
    #expect(try total(sunday) == 10)
    #expect(try total(sunday - 1) == 5)
    #expect(try total(sunday + 1) == 0)
  }

  @Test("a release is within budget only on sessions started over a day ago, and broken on all sessions")
  func settledSessions() throws {
    let scene = try Scene()
    try scene.receive(
      Scene.sessions(2000, crashed: 0, prefix: "a", started: "2026-11-20T09:00:00Z", version: "4.3.0")
        + Scene.sessions(10, crashed: 0, prefix: "b", started: "2026-11-10T09:00:00Z", version: "4.3.0")
        + Scene.sessions(2000, crashed: 60, prefix: "c", started: "2026-11-20T09:00:00Z", version: "4.2.0"))
    let judged = try scene.reader("sessions.crash_free >= 99.5%").judgement(Scene.app, now: Scene.now)
    let budget = try #require(judged.budgets.first)
    #expect(budget.result.slice.release == "4.3.0" && budget.before?.slice.release == "4.2.0")
    #expect(budget.result.verdict == .notEnoughData && budget.result.n == 10)
    #expect(budget.before?.verdict == .broken)
  }

  @Test("a report for one OS version over more than 35 days keeps its numbers")
  func oldWindow() throws {
    let scene = try Scene()
    try scene.receive([Self.value("production", day: "2026-09-01"), Self.value("production", day: "2026-11-20")])
    let query = ReportQuery(from: CalendarDay(iso: "2026-08-30"), os: "iOS 17.4.1")
    #expect(try scene.report(query).metrics.first?.n == 2)
  }
}

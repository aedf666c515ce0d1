import Health
import HealthScene
import Storage
import Telemetry
import Testing

/// What an app's page says before its numbers: what broke, and whether the newest releases may go on.
@Suite struct BreakageTests {
  /// 300 sessions of 4.2.0 and 100 of 4.3.0 on one day, 40 of 4.3.0 crashed; 50 healthy ones of 4.2.0 the day before.
  private func twoReleases() throws -> Scene {
    let scene = try Scene()
    try scene.receive(
      Scene.sessions(50, crashed: 0, prefix: "a", started: "2026-11-16T10:00:00Z")
        + Scene.sessions(300, crashed: 3, prefix: "b", started: "2026-11-17T10:00:00Z")
        + Scene.sessions(100, crashed: 40, prefix: "c", started: "2026-11-17T11:00:00Z", version: "4.3.0"))
    return scene
  }

  private let second = CalendarDay(iso: "2026-11-17")!

  @Test("what broke says in which release, since when and on which devices")
  func breakages() throws {
    let reader = try twoReleases().reader("sessions.crash_free >= 95%")
    let page = try reader.status(Scene.app, now: Scene.now)
    let breakage = try #require(page.breakages.first)
    #expect(page.breakages.count == 1 && breakage.releases == ["4.3.0"] && breakage.since == second)
    #expect(breakage.classes.map(\.key) == ["iPhone 14"] && breakage.classes.first?.result.value == 0.6)
    #expect(page.decisions.map(\.advice) == [.hold, .wait] || page.decisions.map(\.advice) == [.hold, .ship])
    #expect(page.decisions.map(\.release.release.version) == ["4.3.0", "4.2.0"])
    #expect(page.decisions.first?.previous == "4.2.0")
  }

  @Test("without a release to blame, a breakage is as old as the days in a row beyond the budget")
  func since() throws {
    let scene = try Scene()
    for (day, value) in [("14", 3000.0), ("15", 400), ("17", 2500), ("19", 2600), ("20", 2700)] {
      try scene.receive(
        Scene.samples("screen.load", "ms", Array(repeating: [value], count: 20), at: "2026-11-\(day)T10:00:00Z"))
    }
    let page = try scene.reader("p50 screen.load <= 1 s").status(Scene.app, now: Scene.now)
    let breakage = try #require(page.breakages.first)
    #expect(breakage.releases.isEmpty || breakage.since == CalendarDay(iso: "2026-11-14"))
    if breakage.releases.isEmpty { #expect(breakage.since == CalendarDay(iso: "2026-11-17")) }
  }
}

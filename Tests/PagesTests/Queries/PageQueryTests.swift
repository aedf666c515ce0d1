import Foundation
import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// What the pages of sessions, exits, budgets, releases, the checklist and the setup show, counted by hand.
@Suite struct PageQueryTests {
  /// 300 sessions of 4.2.0 and 100 of 4.3.0 on one day, 40 of 4.3.0 crashed; 50 healthy ones of 4.2.0 the day before.
  private func twoReleases() throws -> Scene {
    let scene = try Scene()
    try scene.receive(
      Scene.sessions(50, crashed: 0, prefix: "a", started: "2026-11-16T10:00:00Z")
        + Scene.sessions(300, crashed: 3, prefix: "b", started: "2026-11-17T10:00:00Z")
        + Scene.sessions(100, crashed: 40, prefix: "c", started: "2026-11-17T11:00:00Z", version: "4.3.0"))
    return scene
  }

  private let first = CalendarDay(iso: "2026-11-16")!
  private let second = CalendarDay(iso: "2026-11-17")!

  @Test("sessions are counted by day and outcome, and the days add up to the total")
  func sessions() throws {
    let page = try twoReleases().reader("sessions.crash_free >= 99.5%").sessionPage(Scene.app, now: Scene.now)
    #expect(page.sessions.total == 450 && page.sessions.counts[.crashed] == 43)
    let days = Dictionary(uniqueKeysWithValues: page.days.map { ($0.day, $0.sessions) })
    #expect(days.count == 28 && days[first]?.total == 50 && days[first]?.counts[.crashed] == 0)
    #expect(days[second]?.total == 400 && days[second]?.counts[.crashed] == 43)
    let share = 1 - 43.0 / 400
    #expect(days[second]?.crashFree.estimate.value == share)
    #expect(days[first - 1]?.total == 0 && days[first - 1]?.crashFree.estimate.value == nil)
    #expect(page.byRelease.map(\.key) == ["4.3.0", "4.2.0"])
    let shares: [Double?] = [0.6, 1 - 3.0 / 350]
    #expect(page.byRelease.map(\.report.value.value) == shares)
    #expect(page.byRelease.first?.verdict == .broken)
    #expect(page.byDeviceClass.map(\.key) == ["iPhone 14"] && page.bySystem.map(\.key) == ["iOS 17.4.1"])
    #expect(page.budget?.verdict == .broken)
  }

  @Test("a release has the one before it, its share of each day, and advice")
  func release() throws {
    let reader = try twoReleases().reader("sessions.crash_free >= 99.5%")
    let page = try #require(try reader.releasePage(Scene.app, release: "4.3.0", now: Scene.now))
    #expect(page.previous == "4.2.0" && page.judgement.advice == .hold)
    #expect(page.adoption.map(\.estimate.value) == [0.25] && page.adoption.map(\.n) == [100])
    #expect(page.builds.map(\.sessions) == [100] && page.window == Window(from: second, to: second))
    #expect(page.comparison?.base == "4.2.0" && page.comparisonNote == nil)
    let before = try #require(try reader.releasePage(Scene.app, release: "4.2.0", now: Scene.now))
    #expect(before.previous == nil && before.comparison == nil && before.comparisonNote != nil)
    #expect(before.adoption.map(\.estimate.value) == [1, 0.75])
    #expect(try reader.releasePage(Scene.app, release: "9.9", now: Scene.now) == nil)
  }

  @Test("a release with only crashes is listed first without a share, and is not judged")
  func onlyCrashes() throws {
    let scene = try Scene()
    let crash =
      #""crashes": [{"at": "2026-11-17T12:00:00Z", "exception": "EXC_BAD_ACCESS", "signal": 11, "#
      + #""frames": [{"binary": "Shop", "offset": 16}]}]"#
    try scene.receive(
      Scene.sessions(400, crashed: 0, version: "1.0")
        + (0..<20).map { Scene.native(version: "2.0", installation: "user-\($0)", crash) })
    let reader = try scene.reader("sessions.crash_free >= 99%")
    let page = try reader.status(Scene.app, now: Scene.now)
    #expect(page.releases.map(\.release.version) == ["2.0", "1.0"])
    #expect(page.releases.map(\.adoption) == [nil, 1] && page.releases.map(\.sessions) == [0, 400])
    #expect(page.judgement.release?.release.version == "1.0")
    #expect(page.judgement.waiting.map(\.release.version) == ["2.0"])
    let asked = try reader.judgement(Scene.app, ReportQuery(release: "2.0"), now: Scene.now)
    #expect(asked.advice == .wait && asked.budgets.map(\.result.n) == [0] && asked.previous?.release.version == "1.0")
    #expect(try reader.checklist(Scene.app, now: Scene.now).release == "1.0")
    let own = try #require(try reader.releasePage(Scene.app, release: "2.0", now: Scene.now))
    #expect(own.builds.map(\.sessions) == [0] && own.previous == "1.0")
    // Who uses it on one system is not known: it is no release of that system.
    let narrow = try reader.report(Scene.app, ReportQuery(os: "iOS 17.4.1"), now: Scene.now)
    #expect(narrow.releases.map(\.release.version) == ["1.0"])
    // Days it was not seen in do not list it.
    let before = ReportQuery(from: first - 9, to: first)
    #expect(try reader.report(Scene.app, before, now: Scene.now).releases.isEmpty)
  }

  @Test("builds of one version are one release, and each build is one by its own name")
  func builds() throws {
    let scene = try Scene()
    func sessions(_ build: String, _ count: Int) -> String {
      let parts = (0..<count).map {
        #"{"id": "\#(build)-\#($0)", "started": "2026-11-17T10:00:00Z", "status": "exited"}"#
      }
      return Scene.native(version: "5.0", build: build, "\"sessions\": [\(parts.joined(separator: ","))]")
    }
    try scene.receive([sessions("9", 30), sessions("10", 10)])
    let reader = try scene.reader("sessions.crash_free >= 99.5%")
    let whole = try #require(try reader.releasePage(Scene.app, release: "5.0", now: Scene.now))
    #expect(whole.builds.map(\.release.build) == ["10", "9"] && whole.judgement.release?.sessions == 40)
    #expect(whole.adoption.first?.estimate.value == 1)
    let build = try #require(try reader.releasePage(Scene.app, release: "5.0 (10)", now: Scene.now))
    #expect(build.previous == "5.0 (9)" && build.adoption.first?.estimate.value == 0.25)
  }

  private static let whole: ReportQuery = {
    var query = ReportQuery()
    query.isWholeApp = true
    return query
  }()

  @Test("the remaining error budget compares the share of bad events with the allowed share")
  func errorBudgets() throws {
    let scene = try twoReleases()
    // 4 of 100 values lie beyond 1 s; a p90 allows 10.
    try scene.receive(Scene.samples("screen.load", "ms", (0..<100).map { [$0 < 4 ? 3000 : 400] }))
    let reader = try scene.reader("sessions.crash_free >= 80%", "p90 screen.load <= 1 s", "mean screen.load <= 1 s")
    let page = try reader.budgetPage(Scene.app, Self.whole, now: Scene.now)
    let left = page.rows.map(\.errorBudgetLeft)
    let spent = (43.0 / 450) / 0.2
    #expect(abs((left[0] ?? 0) - (1 - spent)) < 1e-12)
    #expect(abs((left[1] ?? 0) - 0.6) < 1e-9 && left[2] == nil)
    #expect(abs((page.burn.budgetLeft ?? 0) - (left[0] ?? 1)) < 1e-12)
  }

  @Test("a budget on a part of the data equals the report on that part")
  func slices() throws {
    let scene = try twoReleases()
    let reader = try scene.reader("sessions.crash_free >= 99.5%")
    let page = try reader.budgetPage(Scene.app, Self.whole, now: Scene.now)
    let slices = try #require(page.rows.first?.slices)
    #expect(slices.map(\.key) == ["4.3.0", "4.2.0", "iPhone 14", "iOS 17.4.1"])
    for slice in slices {
      var query = ReportQuery()
      switch slice.dimension {
      case "release": query.release = slice.key
      case "os": query.os = slice.key
      default: query.deviceClass = slice.key
      }
      #expect(try reader.report(Scene.app, query, now: Scene.now).budgets == [slice.result], "\(slice.key)")
    }
    // What is narrowed already is not divided by the same again.
    let narrowed = try reader.budgetPage(Scene.app, ReportQuery(os: "iOS 17.4.1"), now: Scene.now)
    #expect(narrowed.rows.first?.slices.contains { $0.dimension == "os" } == false)
  }

  @Test("the page of exits compares them with the launches and resumes of the same payloads")
  func page() throws {
    let scene = try Scene()
    try scene.receive([ExitPayload.body(0), ExitPayload.body(1)])
    let page = try scene.reader("exits.foreground_limits <= 0.1 %").exitPage(Scene.app, now: Scene.now)
    // Each payload: 10 launches and 90 resumes.
    #expect(page.launches == 200)
    let watchdog = try #require(page.rows.first { $0.reason == .watchdog })
    #expect(watchdog.foreground == 12 && watchdog.foregroundRate == 60)
    #expect(watchdog.background == 32 && watchdog.backgroundRate == 160)
    // In each, 21 of the 61 foreground exits were not normal: 42 of 200 launches and resumes.
    #expect(page.terminations?.value.value == 210)
    #expect(page.byRelease.first?.report.value.value == page.terminations?.value.value)
    #expect(page.budgets.map(\.metric) == ["exits.foreground_limits"])
    #expect(page.trend.compactMap(\.estimate.value) == [210])
    #expect(try Scene().reader("sessions.crash_free >= 99%").exitPage(Scene.app, now: Scene.now).rows.isEmpty)
  }

  @Test("the checklist is for the newest release in use, or the requested one")
  func checklist() throws {
    let scene = try twoReleases()
    let reader = try scene.reader("sessions.crash_free >= 99.5%", "p90 launch.first_draw <= 2 s")
    let list = try reader.checklist(Scene.app, now: Scene.now)
    #expect(list.release == "4.3.0" && list.items.map(\.topic) == ReleaseChecklist.Topic.allCases)
    #expect(list.items.first?.verdict == .broken)
    let older = try reader.checklist(Scene.app, ReportQuery(release: "4.2.0"), now: Scene.now)
    #expect(older.release == "4.2.0" && older.items.first?.results.first?.n == 350)
    #expect(list.items.first { $0.topic == .slowNetwork }?.verdict == nil)
  }

  @Test("the setup waits until data that counts arrives, and shows how it was understood")
  func setup() throws {
    let scene = try Scene()
    let reader = try scene.reader("sessions.crash_free >= 99.5%")
    #expect(try reader.setupPage(Scene.app, now: Scene.now).hasReceived == false)
    try scene.receive(Scene.samples("screen.load", "ms", [[400]]))
    let setup = try reader.setupPage(Scene.app, now: Scene.now)
    #expect(setup.hasReceived && setup.accepted == 1 && setup.metrics == ["Screen load"])
    #expect(setup.releases == ["4.2.0"] && setup.environments == ["production"])
  }

  @Test("the filters of a page offer the values in use")
  func choices() throws {
    let scene = try twoReleases()
    try scene.receive([
      Scene.native(
        model: "iPhone17,1", os: "iOS 18.1",
        #""sessions": [{"id": "z", "started": "2026-11-17T10:00:00Z", "status": "exited"}]"#)
    ])
    let choices = try scene.reader("sessions.crash_free >= 99%").filterChoices(Scene.app, now: Scene.now)
    #expect(choices.releases == ["4.3.0", "4.2.0"] && choices.environments == ["production"])
    #expect(choices.systems == ["iOS 18.1", "iOS 17.4.1"] && choices.deviceClasses == ["iPhone 14", "iPhone 16"])
    #expect(choices.devices.map(\.model) == ["iPhone15,2", "iPhone17,1"])
  }

  @Test("one label of a metric has its own numbers and trend")
  func labels() throws {
    let scene = try Scene()
    let parts = [("Cart", 400), ("Cart", 500), ("Home", 900)].map {
      #"{"metric": "screen.load", "value": \#($0.1), "unit": "ms", "label": "\#($0.0)", "at": "2026-11-20T10:00:00Z"}"#
    }
    try scene.receive([Scene.native("\"measurements\": [\(parts.joined(separator: ","))]")])
    let reader = try scene.reader("p90 screen.load <= 1 s")
    let page = try #require(
      try reader.metricPage(Scene.app, metric: "screen.load", ReportQuery(label: "Cart"), now: Scene.now))
    #expect(page.report.n == 2 && page.trends[50]?.last?.n == 2)
    let whole = try #require(try reader.metricPage(Scene.app, metric: "screen.load", now: Scene.now))
    #expect(whole.report.n == 3 && whole.byLabel.map(\.key) == ["Cart", "Home"])
    #expect(whole.byLabel.map { $0.trend.last?.n } == [2, 1])
  }

  @Test("titles with builds are in the order of their releases")
  func titles() throws {
    let scene = try Scene()
    try scene.receive(
      [("4.10.0", "2"), ("4.9.0", "9"), ("4.10.0", "10"), ("4.10.0-beta", "3")].map { version, build in
        Scene.native(
          version: version, build: build,
          #""sessions": [{"id": "\#(version)-\#(build)", "started": "2026-11-20T10:00:00Z", "status": "ok"}]"#)
      })
    let page = try HealthReader(store: scene.store, budgets: []).sessionPage(Scene.app, now: Scene.now)
    #expect(page.byRelease.map(\.key) == ["4.10.0 (10)", "4.10.0 (2)", "4.10.0-beta (3)", "4.9.0 (9)"])
  }

  @Test("data without a version is (unknown): the last choice, with its own page, and never a release to compare with")
  func unknown() throws {
    let scene = try Scene()
    try scene.receive(
      [("", ""), ("", "7"), ("4.2.0", "1"), ("4.2 (beta)", ""), ("4.2", "beta")].map { version, build in
        Scene.native(
          version: version, build: build,
          #""sessions": [{"id": "\#(version)/\#(build)", "started": "2026-11-20T10:00:00Z", "status": "crashed"}]"#)
      })
    let reader = HealthReader(store: scene.store, budgets: [])
    #expect(try reader.filterChoices(Scene.app, now: Scene.now).releases.last == "(unknown)")
    #expect(try reader.releasePage(Scene.app, release: "(unknown)", now: Scene.now)?.builds.count == 2)
    #expect(try reader.releasePage(Scene.app, release: "4.2 (beta)", now: Scene.now)?.previous != "(unknown)")
  }
}

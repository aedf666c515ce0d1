import Foundation
import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// What pages make of a judgement, from payloads on.
@Suite("Pages about one judgement") struct JudgementPageTests {
  private static let budgets = ["sessions.crash_free >= 99%", "p90 screen.load <= 1 s", "users.crash_free >= 99%"]

  private func reader(_ scene: Scene) throws -> HealthReader {
    try scene.reader(yaml: "budgets:\n" + Self.budgets.map { "  - \"\($0)\"\n" }.joined())
  }

  private func page(_ reader: HealthReader, _ query: ReportQuery = .init()) throws -> Element {
    try HTMLPage.parse(AppView.render(try reader.status(Scene.app, query, now: Scene.now), PageContext(filter: query)))
  }

  private static func loads(_ value: Int, environment: String = "production", version: String = "4.2.0") -> [String] {
    (0..<40).map { number in
      Scene.native(
        version: version, environment: environment, installation: "p\(number)",
        #""measurements": [{"metric": "screen.load", "value": \#(value), "unit": "ms", "at": "2026-11-17T10:00:00Z"}]"#)
    }
  }

  @Test("two of three sessions are not shown as a large percentage, even on the first page", arguments: [0, 1])
  func threeSessions(crashed: Int) throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(3, crashed: crashed, started: "2026-11-20T09:00:00Z"))
    let reader = try reader(scene)
    let words = ["3 of 3 sessions", "2 of 3 sessions"][crashed]
    let card = try page(reader).section("Vitals").card("Crash-free sessions")
    #expect(card.texts("p.few") == [words] && !card.has("p.figure"))
    let overview = OverviewModel(apps: [try reader.summary(Scene.app, now: Scene.now)], asOf: Scene.now)
    let first = try HTMLPage.parse(OverviewView.render(overview, PageContext()))
    #expect(first.texts("p.few") == [words] && !first.has("p.figure"))
    #expect(try first.one("article header .badge").text == "○ Not enough data")
  }

  @Test("an app with only simulated payloads has no verdict on any page, however bad they are")
  func simulated() throws {
    let scene = try Scene()
    try scene.receive(
      Scene.sessions(600, crashed: 300, environment: "simulated") + Self.loads(5000, environment: "simulated"))
    let reader = try reader(scene)
    let summary = try reader.summary(Scene.app, now: Scene.now)
    #expect(summary.verdict == .notEnoughData && summary.status?.judgement.advice == .wait)
    var pages = [
      OverviewView.render(OverviewModel(apps: [summary], asOf: Scene.now), PageContext()),
      BudgetsView.render(try reader.budgetPage(Scene.app, now: Scene.now), PageContext()),
      SessionsView.render(try reader.sessionPage(Scene.app, now: Scene.now), PageContext()),
      ChecklistView.render(try reader.checklist(Scene.app, now: Scene.now), PageContext()),
    ]
    var whole = ReportQuery()
    whole.isWholeApp = true
    for query in [ReportQuery(), whole] {
      pages.append(AppView.render(try reader.status(Scene.app, query, now: Scene.now), PageContext()))
      for metric in ["screen.load", "sessions.crash_free"] {
        let model = try #require(
          try reader.metricPage(Scene.app, metric: metric, query, isJudged: true, now: Scene.now))
        #expect(model.report.n > 0)
        pages.append(MetricView.render(model, PageContext()))
      }
    }
    let release = try #require(try reader.releasePage(Scene.app, release: "4.2.0", now: Scene.now))
    pages.append(ReleaseView.render(release, PageContext()))
    for bytes in pages {
      let page = try HTMLPage.parse(bytes)
      // The note that these are simulated payloads is a banner.
      let judged = page.all(".broken, .warning, .within").filter { $0["class"] != "banner warning" }
      #expect(judged.isEmpty, "\(page.texts("h1"))")
      #expect(page.all("h2").allSatisfy { $0.text != "What broke" })
    }
    #expect(try page(reader).one("p.summary").text == "Simulated payloads from Xcode are shown but not judged.")
  }

  @Test("the first page has the numbers and advice of the app's page")
  func counts() throws {
    let scene = try Scene()
    try scene.receive(
      Scene.sessions(600, crashed: 60, started: "2026-11-17T09:00:00Z") + Self.loads(400)
        + Scene.sessions(700, crashed: 0, prefix: "o", started: "2026-11-10T09:00:00Z", version: "4.1.0"))
    let reader = try reader(scene)
    let overview = OverviewModel(apps: [try reader.summary(Scene.app, now: Scene.now)], asOf: Scene.now)
    let first = try HTMLPage.parse(OverviewView.render(overview, PageContext()))
    let app = try page(reader)
    // One of sessions is broken, the one on users lacks names of users, one of screens is met.
    #expect(first.texts("ul.counts li") == ["✕ 1 broken", "○ 1 not enough data", "✓ 1 within budget"])
    #expect(try app.section("What broke").table().rows.count == 1)
    #expect(try app.section("Other budgets").table().rows.count == 2)
    #expect(try first.one("article header .badge").text == "✕ Hold")
    #expect(try app.one("section.rollout .badge").text == "✕ Hold")
    #expect(first.texts("article p").first == (try app.one("p.summary").text))
    let figure = try app.section("Vitals").card("Crash-free sessions")
    #expect(first.texts("p.figure") == figure.texts("p.figure"))
    // 60 of 600, whatever the release before adds to the whole app.
    #expect(first.texts("p.figure") == ["90.0 %"])
    var whole = ReportQuery()
    whole.isWholeApp = true
    #expect(try page(reader, whole).section("Vitals").card("Crash-free sessions").texts("p.figure") == ["95.4 %"])
  }

  @Test("data without a version has no stage in the table, and no page advises to ship it")
  func unknown() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(900, crashed: 0, started: "2026-11-17T09:00:00Z", version: ""))
    let page = try page(try reader(scene))
    let table = try page.table("Adoption is the share")
    #expect(table.heads == ["(unknown)"] && table.column("Stage") == ["–"] && table.column("Adoption") == ["100 %"])
    #expect(try page.one("section.rollout h2").text.hasSuffix("All releases together"))
  }

  @Test("a metric's page is about the judged release with all releases for comparison, or about all on request")
  func metric() throws {
    let scene = try Scene()
    try scene.receive(
      Self.loads(400) + Self.loads(2500, version: "4.3.0")
        + Scene.sessions(60, crashed: 0, prefix: "n", started: "2026-11-17T09:00:00Z", version: "4.3.0")
        + Scene.sessions(40, crashed: 0, prefix: "o", started: "2026-11-17T09:00:00Z", version: "4.2.0"))
    let reader = try reader(scene)
    func model(_ query: ReportQuery, isJudged: Bool = true) throws -> MetricModel {
      try #require(
        try reader.metricPage(Scene.app, metric: "screen.load", query, isJudged: isJudged, now: Scene.now))
    }
    let judged = try model(.init())
    #expect(judged.slice.release == "4.3.0" && judged.report.n == 40 && judged.budgets.map(\.verdict) == [.broken])
    #expect(judged.trendOfAll.last?.n == 80 && judged.byRelease.map(\.key) == ["4.3.0", "4.2.0"])
    #expect(judged.byRelease.map(\.verdict) == [.broken, .within])
    var whole = ReportQuery()
    whole.isWholeApp = true
    // The API is about all releases unless one is named.
    for all in [try model(whole), try model(.init(), isJudged: false)] {
      #expect(all.slice.release == nil && all.report.n == 80 && all.trendOfAll.isEmpty)
    }
    // What the release did not send yet is shown of all.
    try scene.receive(
      Scene.samples("cart.time", "ms", [[5], [6]], at: "2026-11-17T10:00:00Z"))
    let other = try reader.metricPage(Scene.app, metric: "cart.time", isJudged: true, now: Scene.now)
    #expect(other?.slice.release == nil && other?.report.n == 2)
    let named = ReportQuery(release: "4.3.0")
    #expect(try reader.metricPage(Scene.app, metric: "cart.time", named, isJudged: true, now: Scene.now) == nil)
  }
}

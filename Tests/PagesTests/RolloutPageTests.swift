import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("A rollout's page")
struct RolloutPageTests {
  private static let app = "/apps/com.example.shop"

  private func page(_ report: RolloutReport = Fleet.rollout, _ context: PageContext = PageContext()) throws -> Element {
    try HTMLPage.parse(RolloutView.render(report, context))
  }

  @Test("a rollout's page first states its verdict in one word with its sign, then in a sentence")
  func heading() throws {
    let page = try self.page()
    #expect(try page.one("h1").text == "Rollout of 4.3.0 (1298)")
    #expect(page.texts("header nav li") == ["Apps", "com.example.shop", "4.3.0 (1298)", "Rollout"])
    #expect(page.links("header nav a").last == Self.app + "/releases/4.3.0%20%281298%29")
    let summary = try page.one("p.summary")
    #expect(try summary.one(".badge").text == "✕ Halt" && summary.one(".badge")["class"] == "badge broken")
    #expect(try !summary.one("bdi").text.isEmpty)
    #expect(page.texts("main ul.chips > li") == ["2026-11-09 to 2026-11-20", "production", "JSON", "CSV"])
    #expect(
      page.links("main ul.chips .data a").first
        == "/api/v1/apps/com.example.shop/releases/4.3.0%20%281298%29/rollout")
    let order = try page.one("main").elements.map(\.name)
    #expect(order == ["h1", "p", "div", "section", "section", "section", "p"])
    let context = PageContext(budgetError: "line 3")
    #expect(
      try self.page(Fleet.rollout, context).one("p.summary > bdi").text
        == "Not judged: the budget file has an error.")
  }

  @Test("a rollout that only lacks data is no warning, and a suspicious vital is one")
  func verdicts() throws {
    var report = Fleet.rollout
    func badge() throws -> [String?] {
      let badge = try page(report).one("p.summary .badge")
      return [badge.text, badge["class"]]
    }
    report.verdict = .extend
    #expect(try badge() == ["▲ Extend", "badge warning"])
    report.vitals = [report.vitals[3]]
    #expect(try badge() == ["○ Extend", "badge unsure"])
    report.verdict = .continue
    #expect(try badge() == ["✓ Continue", "badge within"])
  }

  @Test("each day of a rollout has its share beside that of a phased release, and the share of new installations")
  func adoption() throws {
    let section = try page().section("Adoption")
    #expect(section.has("svg.wide") && section.has("svg.narrow"))
    #expect(section.all("svg.wide path.line").map { $0["class"] } == ["line first", "line before", "line second"])
    let table = try section.table("Adoption of 4.3.0 (1298) by day")
    #expect(table.columns == ["Day", "Actual", "Planned", "Updated", "n"])
    #expect(table.heads.first == "2026-11-20" && table.rows.count == 12)
    #expect(try table.row("2026-11-09").texts == ["2026-11-09", "1.20 %", "1.00 %", "87.6 %", "120"])
    // The App Store's seven steps; after the last, everyone is offered the update.
    #expect(
      Array(table.column("Planned").reversed()) == [
        "1.00 %", "2.00 %", "5.0 %", "10.0 %", "20.0 %", "50.0 %", "100 %", "100 %", "100 %", "100 %", "100 %", "100 %",
      ])
    var report = Fleet.rollout
    report.days = report.days.map { RolloutDay(day: $0.day, use: $0.use, share: $0.share) }
    #expect(try !page(report).section("Adoption").has("path.second"))
    report.days = []
    let unused = try page(report).section("Adoption")
    #expect(unused.texts("p") == ["No sessions or payloads received since 2026-11-09."] && !unused.has("figure"))
  }

  @Test("a vital of a rollout has both values, the evidence beside its limit, and its state in words")
  func vitals() throws {
    let table = try page().table("4.3.0 (1298) against 4.2.0, 2026-11-09 to 2026-11-20")
    #expect(table.columns == ["Metric", "4.2.0", "At the same age", "4.3.0 (1298)", "Ratio", "Evidence", "State"])
    let titles = ["Crash-free sessions", "Launch to first draw", "Peak memory", "Hang rate"]
    #expect(zip(table.heads, titles).allSatisfy { $0.hasPrefix($1) } && table.rows.count == titles.count)
    #expect(table.rows[0]["4.2.0"] == "99.72 % 99.64–99.79 %")
    #expect(table.rows[0]["4.3.0 (1298)"] == "98.71 % 98.55–98.86 % n 16,840")
    #expect(table.rows[3]["4.2.0"] == "–")
    #expect(table.column("Evidence") == ["4,100 of 80", "7.2 of 80", "0.4 of 80", "1 of 80"])
    let badges = try table.rows.map { try $0.cell("State").one(".badge") }
    #expect(badges.map(\.text) == ["✕ Worse", "▲ Suspicious", "✓ Not twice as bad", "○ Not enough data"])
    #expect(badges.map { $0["class"] } == ["badge broken", "badge warning", "badge within", "badge unsure"])
    #expect(
      table.rows[0].element.links("th a") == [
        Self.app + "/metrics/sessions.crash_free?from=2026-11-09&to=2026-11-20&environment=production"
          + "&release=4.3.0%20%281298%29"
      ])
    // Only what needs attention has a guide.
    #expect(try table.rows.map { try $0.cell("State").links("a").count } == [1, 1, 0, 0])
    var report = Fleet.rollout
    report.vitals = []
    let empty = try page(report)
    #expect(try empty.section("Vitals").texts("p") == ["No vital with a budget has data of both releases yet."])
    #expect(!empty.has("ul.multiples"))
  }

  @Test("the evidence of each vital is drawn on a logarithmic scale, with the limit where hand calculation puts it")
  func evidence() throws {
    let section = try page().section("Evidence by day")
    let charts = section.all("ul.multiples svg")
    #expect(charts.count == 3)
    func number(_ element: Element, _ name: String) throws -> Double { try #require(Double(element[name] ?? "")) }
    // Four powers of ten are 82 units, from 100 at 1 to 18 at 10,000.
    func y(_ evidence: Double) -> Double { 100 - 82 * log10(evidence) / 4 }
    #expect(charts[0].texts("text") == ["1", "10", "100", "1,000", "10,000", "Nov 9", "Nov 20", "halts at 80"])
    for chart in charts { #expect(try abs(number(chart.one("line.budget"), "y1") - y(80)) < 0.01) }
    for (chart, last) in zip(charts, [4100, 7.2, 1]) {
      let dot = try chart.one("circle.dot")
      #expect(try number(dot, "cx") == 248 && abs(number(dot, "cy") - y(last)) < 0.01)
    }
    let table = try section.table("Evidence at the end of each day")
    #expect(try table.row("2026-11-13").texts == ["2026-11-13", "95", "2", "0.4"])
  }

  @Test("a chart of evidence describes its course and its limit in words")
  func evidenceWords() throws {
    let charts = try page().all("ul.multiples svg")
    #expect(charts.allSatisfy { $0["role"] == "img" })
    #expect(try charts[0].one("title").text.hasPrefix("Evidence on Crash-free sessions"))
    #expect(
      try charts.map { try $0.one("desc").text } == [
        "Evidence of 4,100 on 2026-11-20, at most 4,100 on any day. The limit at which it halts the rollout is 80, first "
          + "reached on 2026-11-13.",
        "Evidence of 7.2 on 2026-11-20, at most 7.2 on any day. The limit at which it halts the rollout is 80, not "
          + "reached.",
        "Evidence of 0.4 on 2026-11-20, at most 0.4 on any day. The limit at which it halts the rollout is 80, not "
          + "reached.",
      ])
  }

  @Test("evidence beyond the drawing is drawn at its top, and written as a bound")
  func extremeEvidence() throws {
    var report = Fleet.rollout
    report.vitals = [report.vitals[0]]
    report.vitals[0].history[11].evidence = RolloutEvidence(sameDays: 1e300, sameAge: 1e250)
    report.vitals[0].evidence = report.vitals[0].history[11].evidence
    let page = try self.page(report)
    #expect(try page.one("ul.multiples circle.dot")["cy"] == "18")
    #expect(try page.table("4.3.0 (1298) against").column("Evidence") == ["≥ 1,000,000 of 80"])
    // One day is in the middle.
    report.window = Window(from: Fleet.badFrom, to: Fleet.badFrom)
    report.vitals[0].history = [RolloutLook(day: Fleet.badFrom, evidence: RolloutEvidence())]
    let first = try self.page(report).one("ul.multiples svg")
    #expect(try first.one("circle.dot")["cx"] == "152" && first.one("circle.dot")["cy"] == "100")
    #expect(!first.has("path.line"))
  }

  @Test("the method is explained, and a form offers other releases to compare with")
  func form() throws {
    let context = PageContext(filter: ReportQuery(environment: "testflight"), choices: Fleet.choices)
    let page = try self.page(Fleet.rollout, context)
    #expect(page.texts("main > p.meta").contains { $0.contains("halted in at most 5 % of rollouts") })
    let form = try page.one("form.choose")
    #expect(form["action"] == Self.app + "/releases/4.3.0%20%281298%29/rollout")
    #expect(form.all("option").map { $0["value"] } == ["4.3.1", "4.3.0", "4.2.0"])
    #expect(form.all("option[selected]").map { $0["value"] } == ["4.2.0"])
    #expect(form.all("input[type=hidden]").map { [$0["name"], $0["value"]] } == [["environment", "testflight"]])
    #expect(try !self.page().has("form.choose"))
  }

  @Test("without another release the page of a rollout states the reason and links back")
  func impossible() throws {
    let page = try HTMLPage.parse(
      ImpossibleRolloutView.render(
        app: Fleet.app, release: "4.2.0", why: "no release older than 4.2.0 has data in these 28 days.",
        asOf: Fleet.asOf, PageContext(choices: Fleet.choices)))
    #expect(try page.one("h1").text == "Rollout of 4.2.0")
    #expect(try page.one("p.summary").text == "No release older than 4.2.0 has data in these 28 days.")
    #expect(page.links("main > p a") == [Self.app] && !page.has("table") && !page.has(".badge"))
    #expect(try page.one("form.choose").all("option").map { $0["value"] } == ["4.3.1", "4.3.0"])
  }

  @Test("names on the page of a rollout are escaped, also in its address")
  func escaping() throws {
    var report = Fleet.rollout
    report.release = "4.3/<b>\"x\" (1)"
    report.base = "<script>"
    report.vitals[0].name = "a&b/c"
    report.vitals[0].title = "<i>"
    let page = try self.page(report)
    #expect(try page.one("h1").text == "Rollout of 4.3/<b>\"x\" (1)")
    #expect(!page.has("main b") && !page.has("main i") && page.all("script").allSatisfy { $0["src"] != nil })
    let table = try page.table("4.3/<b>\"x\" (1) against <script>")
    #expect(table.columns[1] == "<script>" && table.heads[0].hasPrefix("<i>"))
    #expect(table.rows[0].element.links("th a").first?.hasPrefix(Self.app + "/metrics/a%26b%2Fc?") == true)
    let address = Page.rollout(app: "a/b", release: "4.3.0 (1/2)", base: "4.2 &")
    #expect(address.path == "/apps/a%2Fb/releases/4.3.0%20%281%2F2%29/rollout?base=4.2%20%26")
    #expect(address.fileName == "apps/a_2fb/releases/4.3.0_20_281_2f2_29/rollout.html")
    #expect(
      Page.data(of: address, .csv).path
        == "/api/v1/apps/a%2Fb/releases/4.3.0%20%281%2F2%29/rollout?base=4.2%20%26&format=csv")
  }

  @Test("a release's page links to its rollout if there is a previous release")
  func linkOfRelease() throws {
    let address = Self.app + "/releases/4.3.0%20%281298%29/rollout"
    var model = Fleet.releasePage
    #expect(try HTMLPage.parse(ReleaseView.render(model, PageContext())).links("main > p a") == [address])
    model.judgement.previous = nil
    #expect(try !HTMLPage.parse(ReleaseView.render(model, PageContext())).links().contains(address))
  }

  @Test("an app's page judges the rollout of its newest release for 14 days, if there is an older release")
  func notice() {
    func rollout(_ change: (inout AppStatus) -> Void = { _ in }) -> String? {
      var status = Fleet.appPage
      change(&status)
      return status.releaseInRollout?.title
    }
    #expect(rollout() == "4.3.1 (1302)")
    // First seen on 2026-11-17.
    #expect(rollout { $0.asOf = Timestamp(iso: "2026-12-01T23:00:00Z")! } == "4.3.1 (1302)")
    #expect(rollout { $0.asOf = Timestamp(iso: "2026-12-02T01:00:00Z")! } == nil)
    #expect(rollout { $0.releases = [$0.releases[0]] } == nil)
    // The judged release is the newest.
    let judged = rollout {
      $0.judgement.waiting = []
      $0.releases.removeFirst()
    }
    #expect(judged == "4.3.0 (1298)")
    // An older one was chosen.
    #expect(rollout { $0.judgement.waiting = [] } == nil)
    #expect(rollout { $0.judgement = Judgement(window: Fleet.window, slice: Fleet.slice) } == nil)
  }

  @Test("the verdict on a rollout, its reason and its cost are on top of the app's page, with a link")
  func verdictOnAppPage() throws {
    var report = Fleet.rollout
    report.forecast = RolloutCostForecast(
      crashFree: Estimate(value: 0.9931, low: 0.9922, high: 0.994),
      moreUsers: Estimate(value: 1240, low: -30, high: 2500))
    let page = try HTMLPage.parse(AppView.render(Fleet.appPage, rollout: report, PageContext()))
    let line = try #require(page.all("section.rollout > p").last)
    #expect(line.text.contains("Rollout of 4.3.0 (1298)"))
    #expect(line.text.contains(report.verdict.word) && line.text.contains(report.sentence))
    #expect(
      line.text.contains(
        "At 80 % adoption, 99.31 % of a day's sessions will be free of crashes (99.22–99.40 %); 1,240 more users a day "
          + "would crash (30 fewer to 2,500 more)."), "\(line.text)")
    #expect(page.links("section.rollout > p a") == [Self.app + "/releases/4.3.0%20%281298%29/rollout"])
    let plain = try HTMLPage.parse(AppView.render(Fleet.appPage, PageContext()))
    #expect(!plain.text.contains("Rollout of"))
  }

  @Test("what the last days lack is said under the adoption, and their points are open")
  func young() throws {
    var report = Fleet.rollout
    let last = try #require(report.days.last?.day)
    report.days[report.days.count - 1].arrived.sessions = 0.824
    report.days[report.days.count - 1].arrived.crashes = 0.61
    report.days[report.days.count - 2].arrived.crashes = 0.93
    let page = try self.page(report)
    #expect(
      page.text.contains(
        "Arrived so far, judging by older days: 82 % of the sessions and 61 % of the crashes of \(last.iso); "
          + "93 % of the crashes of \((last - 1).iso)."))
    // Two lines, each for wide and for narrow screens.
    #expect(page.all("circle.open").count == 4)
    #expect(try self.page(Fleet.rollout).all("circle.open").isEmpty)
  }
}

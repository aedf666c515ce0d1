import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("The page that compares releases")
struct CompareViewTests {
  private func page(
    _ comparison: ReleaseComparison = Fleet.comparison, _ context: PageContext = PageContext()
  ) throws -> Element { try HTMLPage.parse(CompareView.render(comparison, context)) }

  @Test("the comparison page is named after both releases, and sums up the verdicts with the worst sign")
  func heading() throws {
    let page = try self.page()
    #expect(try page.one("h1").text == "4.3.0 (1298) against 4.2.0 (1234)")
    let summary = try page.one("p.summary")
    #expect(
      summary.text
        == "✕ Worse in one, slightly worse in one, no difference shown in one, better in one, not enough data in two "
        + "of six metrics.")
    #expect(try summary.one(".tone")["class"] == "tone broken")
    var comparison = Fleet.comparison
    comparison.metrics = [Fleet.comparison.metrics[3]]
    let better = try self.page(comparison).one("p.summary")
    #expect(better.text == "✓ Better in one of one metric.")
    #expect(try better.one(".tone")["class"] == "tone within")
    comparison.metrics = []
    let empty = try self.page(comparison)
    #expect(try empty.one("p.summary").text == "There is nothing to compare." && !empty.has("table"))
  }

  @Test("the base is in the first column and the head in the second, each with interval and n")
  func columns() throws {
    let table = try self.page().table("4.3.0 (1298) minus 4.2.0 (1234), both 2026-10-24 to 2026-11-20")
    #expect(
      table.columns == ["Metric", "4.2.0 (1234)", "4.3.0 (1298)", "Difference", "All devices", "Verdict"])
    #expect(
      table.column("4.2.0 (1234)") == [
        "99.81 % 99.74–99.87 % n 9,120", "1.39 s 1.33–1.45 s n 48,210", "412 ms 398–431 ms n 9,120",
        "212 MB 205–221 MB n 9,120", "900 ms 840–980 ms n 210", "182 MB 170–196 MB n 40",
      ])
    #expect(
      table.column("4.3.0 (1298)") == [
        "99.12 % 98.98–99.25 % n 9,120", "1.43 s 1.40–1.46 s n 48,210", "415 ms 401–430 ms n 9,120",
        "180 MB 171–188 MB n 9,120", "0.96 s 0.85–1.10 s n 210", "– n 0",
      ])
    // A narrow screen shows the head of its column beside a cell.
    #expect(
      table.rows[0].cells.map { $0["data-head"] } == [
        nil, "4.2.0 (1234)", "4.3.0 (1298)", "Difference", "All devices", nil,
      ])
    #expect(table.rows[0].element.links("th a") == ["/apps/com.example.shop/metrics/sessions.crash_free"])
    #expect(
      table.heads == [
        "Crash-free sessions", "Launch to first draw p90", "Resume p90", "Peak memory p90", "Screen load p90",
        "Disk writes per device-day p90",
      ])
  }

  @Test("a difference is head minus base, for shares in points, with its interval and the raw difference")
  func differences() throws {
    let table = try self.page().table("4.3.0 (1298) minus 4.2.0 (1234), both 2026-10-24 to 2026-11-20")
    #expect(
      table.column("Difference") == [
        "−0.69 points −0.84 to −0.54 points", "+2.7 % +1.1 to +4.4 %", "+0.7 % −2.0 to +3.5 %",
        "−15.0 % −19.0 to −10.8 %", "+6 % −7 to +21 %", "–",
      ])
    // Nine tenths of it.
    #expect(
      table.column("All devices") == ["−0.62 points", "+2.4 %", "+0.6 %", "−13.5 %", "+5 %", "–"])
  }

  @Test("a verdict's arrow shows the direction of the number, and its class whether that is good")
  func verdicts() throws {
    let table = try self.page().table("4.3.0 (1298) minus 4.2.0 (1234), both 2026-10-24 to 2026-11-20")
    let badges = try table.rows.map { try $0.cell("Verdict").one(".badge") }
    #expect(
      badges.map(\.text) == [
        "↓ Worse", "↑ Slightly worse", "= No difference shown", "↓ Better", "○ Not enough data", "○ Not enough data",
      ])
    #expect(
      badges.map { $0["class"] } == [
        "badge broken", "badge warning", "badge within", "badge within", "badge unsure", "badge unsure",
      ])
    #expect(
      table.rows.map { $0.element.texts("p.why").first } == [
        nil, "By less than 10 %.", "At most 10 % either way.", nil,
        "About 1,420 more values of 4.3.0 (1298) needed.", "No day with data from both.",
      ])
    var comparison = Fleet.comparison
    comparison.metrics = [Fleet.comparison.metrics[0]]
    comparison.metrics[0].verdict = .better
    comparison.metrics[0].difference?.value = 0.0069
    let badge = try self.page(comparison).one("td .badge")
    #expect(badge.text == "↑ Better" && badge["class"] == "badge within")
  }

  @Test("the method is explained, and a form offers two other releases with the current filters")
  func form() throws {
    let context = PageContext(filter: ReportQuery(environment: "testflight"), choices: Fleet.choices)
    let page = try self.page(Fleet.comparison, context)
    #expect(page.texts("main > p.meta").contains { $0.hasPrefix("Only days on which both releases have data") })
    let form = try page.one("form.choose")
    #expect(form["action"] == "/apps/com.example.shop/compare")
    #expect(form.all("select").map { $0["name"] } == ["base", "head"])
    // The releases that are compared stay choices even where the list has none of them.
    #expect(form.all("option[selected]").map { $0["value"] } == ["4.2.0 (1234)", "4.3.0 (1298)"])
    #expect(form.all("input[type=hidden]").map { [$0["name"], $0["value"]] } == [["environment", "testflight"]])
    #expect(try !self.page().has("form.choose"))
    let one = PageContext(choices: FilterChoices(releases: ["4.2.0"]))
    #expect(try !self.page(Fleet.comparison, one).has("form.choose"))
  }

  @Test("marks, whiskers and margin of the forest plot are where hand calculation puts them, worse to the right")
  func forest() throws {
    let chart = try self.page().one("svg.wide")
    // Crash-free sessions: −0.69 points of a margin of 0.25 are 2.76 margins for the worse, from 2.16 to 3.36, so that the
    // scale ends at 5. From 560, the middle between 270 and 850, asinh(5) = 2.3124 are 290 units.
    func x(_ margins: Double) -> Double { 560 + 290 * asinh(margins) / asinh(5) }
    func number(_ element: Element, _ name: String) throws -> Double { try #require(Double(element[name] ?? "")) }
    let margin = try chart.one("rect.margin")
    #expect(try abs(number(margin, "x") - x(-1)) < 0.01 && abs(number(margin, "width") - 2 * (x(1) - 560)) < 0.01)
    let rows = chart.all("g.row")
    #expect(rows.map { $0["class"] } == ["row broken", "row warning", "row within", "row within", "row unsure"])
    for (row, margins) in zip(rows, [2.76, 0.27, 0.07, -1.5, 0.6]) {
      #expect(try abs(number(row.one("rect.mark"), "x") + 4 - x(margins)) < 0.01)
    }
    let whisker = try rows[0].one("line.whisker")
    #expect(try abs(number(whisker, "x1") - x(2.16)) < 0.01 && abs(number(whisker, "x2") - x(3.36)) < 0.01)
    #expect(try number(chart.one("line.zero"), "x1") == 560)
    #expect(chart.all("path.beyond").isEmpty)
  }

  @Test("the forest plot is explained in words, and a whisker beyond the scale ends in an arrowhead")
  func forestWords() throws {
    let page = try self.page()
    #expect(try page.one("svg.wide > title").text == "What changed from 4.2.0 (1234) to 4.3.0 (1298)")
    #expect(
      try page.one("svg.narrow > desc").text.hasPrefix(
        "Most severe first. Crash-free sessions: worse, −0.69 points (−0.84 to −0.54 points); Launch to first draw p90: "
          + "slightly worse, +2.7 % (+1.1 to +4.4 %);"))
    #expect(
      try page.one(".forest figcaption").text.contains("(0.25 points and 10 %, shaded) count as no change."))
    var comparison = Fleet.comparison
    comparison.metrics[4].difference = ComparedDifference(value: 0.3, low: -5.9, high: 9.5, pValue: 0.5, strata: 1)
    #expect(try self.page(comparison).one("svg.wide").all("path.beyond").count == 2)
    comparison.metrics = [Fleet.comparison.metrics[5]]
    #expect(try !self.page(comparison).has(".forest"))
  }

  @Test("labels have their own section, linked from the metric's row, with the worst named first")
  func labels() throws {
    let page = try self.page(Fleet.comparisonByScreen, PageContext(filter: ReportQuery(environment: "testflight")))
    let section = try page.one("section[id=by-screen.load]")
    #expect(try section.one("h2").text == "Screen load by screen")
    #expect(section.texts("p").first == "Worse: CartView. Values by screen cover 2026-11-10 to 2026-11-20.")
    let table = try #require(section.all("table").first.map(PageTable.init))
    #expect(table.heads == ["CartView", "(other)"] && table.columns.first == "Screen")
    #expect(
      section.links("tbody th a")
        == ["/apps/com.example.shop/metrics/screen.load?environment=testflight&label=CartView"])
    #expect(page.links("main th small a") == ["#by-screen.load"])
    #expect(section.links("p.data a").last?.hasSuffix("environment=testflight") == true)
    #expect(section.has("svg.wide") && section.has("svg.narrow"))
  }

  @Test("if all devices together give another result, one sentence explains why")
  func mix() throws {
    var comparison = Fleet.comparison
    comparison.metrics = [Fleet.comparison.metrics[2]]
    comparison.metrics[0].rawDifference = -0.21
    comparison.metrics[0].mixShift = DeviceClassShift(name: "iPhone 16", base: 0.12, head: 0.4)
    #expect(
      try self.page(comparison).texts("td.answer p.why").last
        == "All devices together show −21.0 %, because the mix differs (iPhone 16 has 12 % of the resumes of 4.2.0 (1234) "
        + "and 40 % of those of 4.3.0 (1298)); with the same mix of devices and days it is +0.7 %.")
    comparison.metrics[0].mixShift = nil
    #expect(
      try self.page(comparison).texts("td.answer p.why").last?.contains("because the two were used on different days")
        == true)
  }

  @Test("with many values the menus offer the most used ones, and fields take any other")
  func menus() throws {
    var choices = Fleet.choices
    choices.attributes = (0..<5).map { number in
      .init(name: "flag\(number)", values: (0..<100).map { "v\($0)" })
    }
    choices.releases = (1...60).reversed().map { "4.\($0).0" }
    let page = try self.page(Fleet.comparison, PageContext(choices: choices))
    let menu = try page.one("select#compare-base").all("option").map { $0["value"] ?? "" }
    #expect(menu.count <= 61 && menu.contains("4.60.0") && !menu.contains("4.1.0"))
    for number in 0..<5 { #expect(menu.contains("flag\(number)=v0") && menu.contains("flag\(number)!=v3")) }
    #expect(!menu.contains("flag0=v4"))
    #expect(try page.one("input#other-head")["value"] == "4.3.0 (1298)")
    #expect(try !self.page(Fleet.comparison, PageContext(choices: Fleet.choices)).has("input#other-head"))
  }

  @Test("without two releases the comparison page states the reason and links back")
  func impossible() throws {
    let page = try HTMLPage.parse(
      ImpossibleComparisonView.render(
        app: Fleet.app, why: "there are not two releases.", asOf: Fleet.asOf, PageContext(choices: Fleet.choices)))
    #expect(try page.one("p.summary").text == "There are not two releases.")
    #expect(page.links("main > p a") == ["/apps/com.example.shop"] && page.has("form.choose") && !page.has("table"))
  }
}

import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("The page of exits")
struct ExitsViewTests {
  private func page(_ model: ExitsModel = Fleet.exitPage, _ context: PageContext = PageContext()) throws -> Element {
    try HTMLPage.parse(ExitsView.render(model, context))
  }

  @Test("the page of exits says how many of 1,000 launches were ended, with the interval where it is known")
  func sentence() throws {
    #expect(
      try page().one("p.summary").text
        == "Of 1,000 launches and resumes, 0.23 were ended before people’s eyes (0.11–0.36).")
    var model = Fleet.exitPage
    model.terminations?.value = Estimate(value: 0.23)
    #expect(
      try page(model).one("p.summary").text == "Of 1,000 launches and resumes, 0.23 were ended before people’s eyes.")
    model.terminations = nil
    #expect(
      try page(model).one("p.summary").text == "Exits were counted, but no launches to hold them against.")
  }

  @Test("normal exits stand first, then what happened in the foreground most; what did not happen is a sentence")
  func reasons() throws {
    let section = try page().section("Why")
    let table = try section.table("In the foreground")
    #expect(
      table.columns == ["Reason", "Foreground", "per 1,000", "Background", "per 1,000", "Explained by"])
    // Of 52,100 launches: 18,000 are 345 in 1,000.
    #expect(
      table.rows.map { Array($0.texts.dropLast()) } == [
        ["Normal The app was left, or ended in order.", "18,000", "345", "9,000", "173"],
        ["Watchdog It did not answer in time, mostly while launching or resuming.", "12", "0.23", "0", "0"],
        [
          "Memory pressure The system needed its memory for others. Common in the background; a small suspended app "
            + "lives longer.", "0", "0", "412", "7.91",
        ],
      ])
    // Each with its figures in the release where most of its reports are.
    #expect(
      table.rows[1].element.texts("td li") == [
        "Watchdog termination in AppDelegate.migrate() 1 report in 4.3.0 (1240), 9 exits counted there",
        "Hang in FeedParser.parse(data:) may lead to it: 41 reports in 4.2.0 (1225), 1 exit counted there",
      ])
    #expect(table.rows[1].element.links("td li a").first == "/apps/com.example.shop/groups/00000000000000fd")
    #expect(table.column("Explained by").last == "No group of the same release.")
    #expect(
      section.texts("p.meta") == [
        "Not seen: memory limit, cpu limit, bad access, abnormal, illegal instruction, suspended with locked file, "
          + "background task timeout, background url session timeout and background fetch timeout."
      ])
  }

  @Test("budgets name their metric; the trend and the parts stand below")
  func parts() throws {
    let page = try self.page()
    #expect(page.texts("h2") == ["Budgets", "Foreground terminations by day", "Why", "By release", "By devices"])
    #expect(try page.section("Budgets").texts("p.budget") == ["Budget: p90 launch to first draw ≤ 2 s"])
    #expect(try page.table("By release").columns == ["Release", "Per 1,000 launches", "n", "Verdict"])
    let chart = try #require(page.section("Foreground terminations by day").all("svg.wide").first)
    #expect(chart.texts("text[text-anchor=end]").contains { $0.hasSuffix(" ‰") })
    #expect(page.links("p.advice a") == ["/guides/crash-free"])
    #expect(
      try page.section("Foreground terminations by day").links("p.data a").last?.hasSuffix("format=csv&table=trend")
        == true)
  }

  @Test("without exits the page says what sends them")
  func none() throws {
    var model = Fleet.exitPage
    model.rows = []
    model.terminations = nil
    let page = try self.page(model)
    #expect(try page.one("p.summary").text == "No exits in these days.")
    #expect(
      page.texts("div.nothing p").first == "Exits come with MetricKit’s daily payloads, from iOS 14 on."
        && !page.has("table"))
  }
}

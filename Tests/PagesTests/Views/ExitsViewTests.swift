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

  @Test("the page of exits shows how many of 1,000 launches were ended, with the interval if known")
  func sentence() throws {
    #expect(
      try page().one("p.summary").text
        == "0.23 foreground terminations per 1,000 launches and resumes (0.11–0.36).")
    var model = Fleet.exitPage
    model.terminations?.value = Estimate(value: 0.23)
    #expect(
      try page(model).one("p.summary").text == "0.23 foreground terminations per 1,000 launches and resumes.")
    model.terminations = nil
    #expect(
      try page(model).one("p.summary").text == "Exits were counted, but launches were not.")
  }

  @Test(
    "normal exits come first, then the most frequent foreground exits, and those that never happened are a sentence")
  func reasons() throws {
    let section = try page().section("Exit reasons")
    let table = try section.table("Foreground exits interrupt a user; background exits do not.")
    #expect(
      table.columns == ["Reason", "Foreground", "per 1,000", "Background", "per 1,000", "Explained by"])
    // Of 52,100 launches: 18,000 are 345 in 1,000.
    #expect(
      table.rows.map { Array($0.texts.dropLast()) } == [
        ["Normal The user left the app, or it ended normally.", "18,000", "345", "9,000", "173"],
        ["Watchdog The app did not respond in time, usually while launching or resuming.", "12", "0.23", "0", "0"],
        [
          "Memory pressure iOS needed the memory for other apps. Common in the background; apps that use less memory "
            + "stay suspended longer.", "0", "0", "412", "7.91",
        ],
      ])
    // Each with its figures in the release where most of its reports are.
    #expect(
      table.rows[1].element.texts("td li") == [
        "Watchdog termination in AppDelegate.migrate() 1 report and 9 exits in 4.3.0 (1240)",
        "Hang in FeedParser.parse(data:) possible cause: 41 reports and 1 exit in 4.2.0 (1225)",
      ])
    #expect(table.rows[1].element.links("td li a").first == "/apps/com.example.shop/groups/00000000000000fd")
    #expect(table.column("Explained by").last == "No group in the same release.")
    #expect(
      section.texts("p.meta") == [
        "Reasons without exits: memory limit, cpu limit, bad access, abnormal, illegal instruction, suspended with "
          + "locked file, background task timeout, background url session timeout and background fetch timeout."
      ])
  }

  @Test("budgets of exits name their metric, with the trend and the parts below")
  func parts() throws {
    let page = try self.page()
    #expect(
      page.texts("h2") == [
        "Budgets", "Foreground terminations by day", "Exit reasons", "By release", "By device class",
      ])
    #expect(try page.section("Budgets").texts("p.budget") == ["Budget: p90 launch to first draw ≤ 2 s"])
    #expect(try page.table("By release").columns == ["Release", "Per 1,000 launches", "n", "Verdict"])
    let chart = try #require(page.section("Foreground terminations by day").all("svg.wide").first)
    #expect(chart.texts("text[text-anchor=end]").contains { $0.hasSuffix(" ‰") })
    #expect(page.links("p.advice a") == ["/guides/crash-free"])
    #expect(
      try page.section("Foreground terminations by day").links("p.data a").last?.hasSuffix("format=csv&table=trend")
        == true)
  }

  @Test("without exits the page explains which data has them")
  func none() throws {
    var model = Fleet.exitPage
    model.rows = []
    model.terminations = nil
    let page = try self.page(model)
    #expect(try page.one("p.summary").text == "No exits in this period.")
    #expect(
      page.texts("div.nothing p").first == "MetricKit reports exits in its daily payloads, from iOS 14."
        && !page.has("table"))
  }
}

import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("The page of budgets")
struct BudgetsViewTests {
  private func page(_ model: BudgetsModel = Fleet.budgetPage, _ context: PageContext = PageContext()) throws -> Element
  {
    try HTMLPage.parse(BudgetsView.render(model, context))
  }

  @Test("the page of budgets agrees with the app's page, with the same verdicts, worst first, each with its class")
  func counts() throws {
    let page = try self.page()
    #expect(
      try page.one("p.summary").text == "✕ Hold 4.3.0 (1298). Crash-free sessions and screen load are broken.")
    let items = page.all("main > ul.counts li")
    #expect(items.map(\.text) == ["✕ 2 broken", "▲ 1 warning", "○ 2 not enough data", "✓ 8 within budget"])
    #expect(items.map { $0["class"] } == ["tone broken", "tone warning", "tone unsure", "tone within"])
  }

  @Test("budgets are listed worst first, with the release before and the remaining error budget")
  func table() throws {
    let table = try page().table("The error budget is")
    #expect(
      table.columns == ["Metric", "Budget", "Verdict", "4.3.0 (1298)", "4.2.0 (1251)", "n", "Error budget left"])
    #expect(
      table.column("Budget") == [
        "p90 launch.first_draw <= 2 s", "p52 launch.first_draw <= 1 s", "p51 launch.first_draw <= 1 s",
      ])
    #expect(table.element.texts("tbody td code") == table.column("Budget"))
    #expect(
      table.column("Verdict") == ["✕ Broken", "○ Not enough data 21,480 launches: no verdict.", "✓ Within budget"])
    // 0.4 beyond what is allowed; not known; 0.62 left.
    #expect(table.column("Error budget left") == ["140.0 % used", "–", "62.0 %"])
    #expect(table.rows.map { $0.element.all("td.adoption rect.fill").first?["width"] } == ["0", nil, "62"])
    #expect(Set(table.column("4.3.0 (1298)")) == ["1.39 s 1.33–1.45 s"])
    #expect(Set(table.column("4.2.0 (1251)")) == ["1.39 s"])
    #expect(table.rows[0].element.links("th a") == ["/apps/com.example.shop/metrics/launch.first_draw"])
  }

  @Test("verdicts by release, device and OS version are matrices with budgets as rows and parts as columns")
  func matrices() throws {
    let page = try self.page()
    for (heading, key) in [
      ("By release", "4.3.1 (1302)"), ("By device class", "iPhone 16"), ("By OS version", "iOS 26.1"),
    ] {
      let table = try page.section(heading).table("Verdicts by \(heading.dropFirst(3))")
      #expect(table.columns == ["Budget", key] && table.rows.count == 3)
      #expect(table.rows[0][key] == "✕ Broken 1.39 s · n 21,480")
    }
  }

  @Test("the six parts with the most events are shown, releases newest first, and a missing budget is a dash")
  func many() throws {
    var model = Fleet.budgetPage
    func slices(_ dimension: String, _ keys: [String]) -> [SliceVerdict] {
      keys.enumerated().map { index, key in
        var result = Fleet.launch
        result.n = (index + 1) * 100
        return SliceVerdict(dimension: dimension, key: key, result: result)
      }
    }
    model.rows[0].slices =
      slices("release", ["4.10", "4.9", "4.8", "4.7", "4.6", "4.5", "4.4"]) + slices("os", ["iOS 17", "iOS 18"])
    model.rows[1].slices = slices("release", ["4.9"])
    model.rows[2].slices = []
    let page = try self.page(model)
    // 4.10 has the fewest events and no column.
    let releases = try page.section("By release").table()
    #expect(releases.columns == ["Budget", "4.9", "4.8", "4.7", "4.6", "4.5", "4.4"])
    #expect(releases.rows[1].texts.dropFirst().map { $0 == "–" } == [false, true, true, true, true, true])
    #expect(try page.section("By OS version").table().columns == ["Budget", "iOS 18", "iOS 17"])
  }

  @Test("a burn rate has its long and short window with their limit, and marks what burns too fast")
  func burn() throws {
    let section = try page().section("Error budget")
    #expect(
      section.texts("p") == [
        "The error budget is spent. The last 28 days used 129.4 % of the crashed sessions that 99.5 % crash-free "
          + "sessions allow."
      ])
    let table = try section.table("Burn rates by time of receipt")
    #expect(table.heads == ["1h and 5m", "6h and 30m", "1d and 2h", "3d and 6h"])
    #expect(table.column("Long") == ["0.8", "1.1", "3.4", "1.3"])
    #expect(table.column("Short") == ["0.0", "0.9", "3.2", "2.1"])
    #expect(table.column("Limit") == ["14.4", "6.0", "3.0", "1.0"])
    #expect(table.column("Crashed sessions") == ["2", "7", "25", "73"])
    #expect(table.column("Users") == ["1", "5", "19", "55"])
    // Both windows lie above the limit in the last two.
    #expect(table.column("State") == ["OK", "OK", "Burning too fast", "Burning too fast"])
  }

  @Test("an error budget shows how much remains, or that it is unknown")
  func errorBudget() throws {
    var model = Fleet.budgetPage
    model.burn.budgetLeft = 0.6
    #expect(
      try page(model).section("Error budget").texts("p") == [
        "60.0 % of the error budget is left. The last 28 days used 40.0 % of the crashed sessions that 99.5 % "
          + "crash-free sessions allow."
      ])
    model.burn.budgetLeft = nil
    model.burn.windows[0].longRate = nil
    let section = try page(model).section("Error budget")
    #expect(
      section.texts("p") == ["The remaining error budget of 99.5 % crash-free sessions is unknown."])
    let row = try section.table("Burn rates").row("1h and 5m")
    #expect(row["Long"] == "–" && row["State"] == "–")
    model.burn = BurnReport()
    #expect(try !page(model).texts("h2").contains("Error budget"))
  }

  @Test("there are no verdicts while the budget file has an error, and the page states if there is no data")
  func nothing() throws {
    let error = try page(Fleet.budgetPage, PageContext(budgetError: "budgets.yaml:3: no metric"))
    #expect(try error.one("p.summary").text == "Nothing is judged: the budget file has an error.")
    #expect(!error.has("table"))
    var model = Fleet.budgetPage
    model.rows = []
    model.judgement.budgets = []
    let empty = try page(model)
    #expect(empty.texts("div.nothing p").first == "No budget has data in this period." && !empty.has("table"))
    #expect(try empty.one("p.summary").text == "○ Not enough data 4.3.0 (1298). No budget has data for this release.")
  }
}

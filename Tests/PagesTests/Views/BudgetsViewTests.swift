import Health
import Pages
import Storage
import Telemetry
import Testing

@Suite("The page of budgets")
struct BudgetsViewTests {
  private func page(_ model: BudgetsModel = Fleet.budgetPage, _ context: PageContext = PageContext()) throws -> Element
  {
    try HTMLPage.parse(BudgetsView.render(model, context))
  }

  @Test("counts verdicts, worst first, each with its class")
  func counts() throws {
    let items = try page().all("p.summary li")
    #expect(items.map(\.text) == ["✕ 1 broken", "○ 1 not enough data", "✓ 1 within budget"])
    #expect(items.map { $0["class"] } == ["tone broken", "tone unsure", "tone within"])
  }

  @Test("budgets stand worst first, as their file has them, with what is left of the error budget")
  func table() throws {
    let table = try page().table("The error budget is")
    #expect(table.columns == ["Metric", "Budget", "Verdict", "Value and bounds", "n", "Error budget left"])
    #expect(
      table.column("Budget") == [
        "p90 launch.first_draw <= 2 s", "p52 launch.first_draw <= 1 s", "p51 launch.first_draw <= 1 s",
      ])
    #expect(table.element.texts("tbody td code") == table.column("Budget"))
    #expect(
      table.column("Verdict") == ["✕ Broken", "○ Not enough data 21,480 launches do not tell.", "✓ Within budget"])
    // 0.4 beyond what is allowed; not known; 0.62 left.
    #expect(table.column("Error budget left") == ["140.0 % used", "–", "62.0 %"])
    #expect(table.rows.map { $0.element.all("td.adoption rect.fill").first?["width"] } == ["0", nil, "62"])
    #expect(Set(table.column("Value and bounds")) == ["1.39 s 1.33–1.45 s"])
    #expect(table.rows[0].element.links("th a") == ["/apps/com.example.shop/metrics/launch.first_draw"])
  }

  @Test("verdicts by release, devices and system are matrices with the budgets down and the parts across")
  func matrices() throws {
    let page = try self.page()
    for (heading, key) in [
      ("By release", "4.3.1 (1302)"), ("By devices", "iPhone 16"), ("By system", "iOS 26.1"),
    ] {
      let table = try page.section(heading).table("Verdicts \(heading.lowercased())")
      #expect(table.columns == ["Budget", key] && table.rows.count == 3)
      #expect(table.rows[0][key] == "✕ Broken 1.39 s · n 21,480")
    }
  }

  @Test("six parts with the most events are shown, releases from the newest on; what a budget lacks is a dash")
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
    #expect(try page.section("By system").table().columns == ["Budget", "iOS 18", "iOS 17"])
  }

  @Test("nothing is judged while the budget file has an error; without data the page says so")
  func nothing() throws {
    let error = try page(Fleet.budgetPage, PageContext(budgetError: "budgets.yaml:3: no metric"))
    #expect(try error.one("p.summary").text == "Nothing is judged: the budget file has an error.")
    #expect(!error.has("table"))
    var model = Fleet.budgetPage
    model.rows = []
    let empty = try page(model)
    #expect(empty.texts("div.nothing p").first == "No budget has data in these days." && !empty.has("table"))
    #expect(try empty.one("p.summary").text == "none")
  }
}

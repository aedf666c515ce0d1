import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("An app's page")
struct AppViewTests {
  private func page(
    _ status: AppStatus = Fleet.appPage, crashes: GroupList? = nil, _ context: PageContext = PageContext()
  ) throws -> Element { try HTMLPage.parse(AppView.render(status, crashes: crashes, context)) }

  private static let app = "/apps/com.example.shop"

  @Test("an app's page is below all apps, and its navigation has every page of the app in order")
  func frame() throws {
    let page = try self.page()
    #expect(page.texts("header nav li") == ["Apps", "com.example.shop"])
    #expect(page.links("header nav a") == ["/"])
    #expect(
      page.texts("nav.pages a") == [
        "Vitals", "Sessions", "Exits", "Crashes and hangs", "Compare", "Budgets", "Metrics", "Alerts", "Checklist",
        "Data quality", "Setup",
      ])
    let paths = [
      "", "/sessions", "/exits", "/groups", "/compare", "/budgets", "/metrics", "/alerts", "/checklist",
      "/data-quality", "/setup",
    ]
    #expect(page.links("nav.pages a") == paths.map { Self.app + $0 })
    #expect(page.texts("nav.pages a[aria-current=page]") == ["Vitals"])
    #expect(try page.one("footer p").text.hasPrefix("Data as of 2026-11-21 09:00 UTC."))
  }

  @Test("an app's page first states whether the newest release in use may ship, why, its adoption, and the one before")
  func rollout() throws {
    let section = try page(crashes: Fleet.groupList()).one("section.rollout")
    #expect(section["class"] == "rollout broken")
    #expect(try section.one("h2").text == "✕ Hold 4.3.0 (1298)")
    #expect(section.links("h2 a") == [Self.app + "/releases/4.3.0%20%281298%29"])
    #expect(try section.one("p.summary").text == "Crash-free sessions and screen load are broken.")
    #expect(
      section.facts == [
        "In use": "41.2 % adoption, first seen 2026-11-09; previous release 4.2.0 (1251) (compare)",
        "Top crash": "EXC_BAD_ACCESS in CartViewController.checkout() 0.86 % of sessions",
        "Newer": "4.3.1 (1302), 3.1 % adoption: judged once it has 5 % adoption",
      ])
    #expect(
      section.links("dd a") == [
        Self.app + "/releases/4.2.0%20%281251%29",
        Self.app + "/compare?base=4.2.0%20%281251%29&head=4.3.0%20%281298%29",
        Self.app + "/groups/3f2a9c01d4e5b678", Self.app + "/releases/4.3.1%20%281302%29",
      ])
    // Nothing stands before it but the name of the app and the filters.
    let order = try page().one("main").elements.map { $0["class"] ?? $0.name }
    #expect(order.prefix(4) == ["h1", "filters", "rollout broken", "section"])
  }

  @Test("the whole app is named as such, without adoption or a release before")
  func wholeApp() throws {
    var status = Fleet.appPage
    status.judgement = Fleet.judgement(of: nil, [.within, .within])
    let section = try page(status).one("section.rollout")
    #expect(try section.one("h2").text == "✓ Within budget All releases together")
    #expect(try section.one("p.summary").text == "Both budgets are met." && section.facts.isEmpty)
    status.judgement = Judgement(window: Fleet.window, slice: Fleet.slice)
    let empty = try page(status)
    #expect(try empty.one("p.summary").text == "No budget has data in this period.")
    #expect(empty.texts("h2") == ["○ Not enough data All releases together", "Releases"])
  }

  @Test("an error in the budget file is shown, and no result is called good or bad")
  func budgetError() throws {
    let page = try self.page(Fleet.appPage, PageContext(budgetError: "budgets.yaml:3: no metric"))
    #expect(try page.one("p.summary").text == "Not judged: the budget file has an error.")
    #expect(
      page.texts("p.banner") == [
        "Nothing is judged, because the budget file has an error: budgets.yaml:3: no metric"
      ])
  }

  @Test("breaches are one table: now, before, the limit, the worst part and the start, the worst first")
  func broken() throws {
    let section = try page().section("What broke")
    let table = try section.table("Broken or at warning level: 4.3.0 (1298), 2026-11-09 to 2026-11-20")
    #expect(
      table.columns == ["Metric", "4.3.0 (1298)", "4.2.0 (1251)", "Limit", "Worst", "Since", "Trend"])
    #expect(
      table.element.texts("tbody th > a") == ["Crash-free sessions", "Screen load", "Hang rate"])
    #expect(
      table.element.all("tbody th > .tone").map { $0["class"] } == ["tone broken", "tone broken", "tone warning"])
    #expect(table.element.texts("tbody th > .tone .unseen") == ["Broken:", "Broken:", "Warning:"])
    #expect(
      table.column("4.3.0 (1298)") == ["98.71 % 98.55–98.86 %", "1.31 s 1.24–1.39 s", "2.60 s/h ≥ 2.10 s/h"])
    #expect(table.column("4.2.0 (1251)") == ["99.72 %", "–", "1.30 s/h"])
    #expect(table.column("Limit") == ["≥ 99.5 %", "≤ 1 s", "≤ 5 s/h, warn at 1 s/h"])
    #expect(table.column("Worst") == ["iPhone 12 and older 97.1 %", "–", "–"])
    #expect(table.column("Since") == ["2026-11-09", "on and off", "2026-10-27"])
    #expect(table.rows.allSatisfy { $0.element.has("svg.spark path.before") == ($0["4.2.0 (1251)"] != "–") })
    // Each number leads to its metric, of the release that it is about.
    #expect(
      table.rows[0].element.links("th > a") == [
        Self.app + "/metrics/sessions.crash_free?release=4.3.0%20%281298%29"
      ])
    #expect(table.rows.allSatisfy { $0.element.texts("details.next summary") == ["Causes"] })
    #expect(table.rows[0].element.texts(".advice strong") == ["First:"])
  }

  @Test("a breach that the release before had is older than the release, and one in no single class is marked")
  func beforeAndClasses() throws {
    var status = Fleet.appPage
    var budget = Fleet.budgets[0]
    budget.before?.verdict = .broken
    budget.since = Fleet.good.firstSeen
    budget.classes = Array(budget.classes.suffix(1))
    status.judgement.budgets = [budget]
    let row = try #require(try page(status).section("What broke").table().rows.first)
    #expect(row["Since"] == "2026-10-27 or earlier" && row["Worst"] == "no single device class")
    // Which screen it is stands below the devices, as far as it breaks the budget, too.
    let part = try #require(Fleet.budgets[0].classes.first)
    budget.classes = [part]
    budget.labels = [SliceVerdict(dimension: "label", key: "Cart", result: part.result)]
    status.judgement.budgets = [budget]
    let both = try #require(try page(status).section("What broke").table().rows.first)
    #expect(both["Worst"] == "iPhone 12 and older 97.1 % Cart 97.1 %")
  }

  @Test("vitals have a card each, crash-free first, with the number, its bounds and the release before as a line")
  func vitals() throws {
    let section = try page().section("Vitals")
    #expect(
      section.texts("h3") == [
        "Crash-free sessions", "Crash-free user-days", "Launch to first draw", "Resume", "Extended launch", "Hang rate",
      ])
    let expected: [String: [String]] = [
      "Crash-free sessions": ["card broken", "98.71 %", "98.55–98.86 % · 16,840 sessions"],
      "Launch to first draw": ["card within", "1.39 s p90", "1.33–1.45 s · 21,480 launches"],
      "Hang rate": ["card warning", "2.60 s/h", "≥ 2.10 s/h · 8,204 payloads"],
    ]
    for (title, lines) in expected {
      let card = try section.card(title)
      #expect([card["class"] ?? ""] + card.texts("p.figure") + card.texts("p.meta") == lines, "\(title)")
      #expect(card.has("figure svg.chart path.first") && card.has("figure svg.chart path.before"))
    }
    #expect(try !section.card("Resume").has("path.before"))
    #expect(try !section.card("Extended launch").has("figure"))
  }

  @Test("a share too small for an interval is shown as a count without a percentage", arguments: [(2, 3), (0, 1)])
  func few(met: Int, of n: Int) throws {
    var status = Fleet.appPage
    var budget = Fleet.budgets[0]
    (budget.result.value, budget.result.low, budget.result.high) = (Double(met) / Double(n), nil, nil)
    (budget.result.n, budget.result.verdict, budget.trend) = (n, .notEnoughData, [])
    status.judgement.budgets = [budget]
    let card = try page(status).section("Vitals").card("Crash-free sessions")
    #expect(card.texts("p.few") == ["\(met) of \(n) session\(n == 1 ? "" : "s")"])
    #expect(!card.has("p.figure") && !card.text.contains("%"))
  }

  @Test("as a file, an app's page has no forms and no choice of two releases, and states its time")
  func file() throws {
    let context = PageContext(linkStyle: .files, renderedAt: Fleet.asOf, choices: Fleet.choices)
    let page = try self.page(Fleet.appPage, crashes: Fleet.groupList(), context)
    #expect(try page.one("main > p.banner").text == "This is a static copy, created at 2026-11-21 09:00 UTC.")
    #expect(!page.has("form") && !page.links().contains { $0.contains("?") })
    #expect(try !page.table("Adoption is the share").columns.contains("Compare"))
    #expect(
      page.links("nav.pages a").prefix(2) == [
        "../../apps/com.example.shop/index.html", "../../apps/com.example.shop/sessions.html",
      ])
    #expect(try page.one("head link[rel=stylesheet]")["href"] == "../../plumb.css")
    #expect(
      try page.one("section.rollout").facts["In use"]
        == "41.2 % adoption, first seen 2026-11-09; previous release 4.2.0 (1251)")
  }
}

import Testing

@testable import Analysis
@testable import Core
@testable import Web

@Suite("The first page")
struct OverviewViewTests {
  private func page(_ overview: OverviewModel = Fleet.overview, _ context: PageContext = PageContext()) throws
    -> Element
  {
    try HTMLPage.parse(OverviewView.render(overview, context))
  }

  @Test("the first page lists apps by their worst verdict, each with its class and word")
  func order() throws {
    let cards = try page().all("ul.cards > li > article")
    #expect(
      cards.map { $0.texts("h2").first } == [
        "com.example.shop", "com.example.mail", "com.example.watchface", "com.example.reader", "com.example.fresh",
      ])
    #expect(cards.map { $0["class"] } == ["card broken", "card warning", "card unsure", "card within", "card none"])
    #expect(
      cards.map { $0.texts("header .badge").first } == [
        "✕ Hold", "▲ Watch", "○ Not enough data", "✓ Ship", "· No data yet",
      ])
    let ids = ["shop", "mail", "watchface", "reader", "fresh"]
    #expect(cards.map { $0.links("h2 a") } == ids.map { ["/apps/com.example.\($0)"] })
  }

  @Test("the first page states in one sentence how many apps are in which state")
  func sentence() throws {
    #expect(
      try page().one("p.summary").text
        == "Five apps: one with a broken budget, one with a warning, one without enough data, one within budget and "
        + "one without data yet.")
    func only(_ verdicts: Verdict?...) throws -> String {
      let apps = verdicts.enumerated().map { index, verdict in
        verdict.map { Fleet.summary("app\(index)", Fleet.bad, [$0: 1]) } ?? AppSummary(id: "app\(index)")
      }
      return try page(OverviewModel(apps: apps, asOf: Fleet.asOf)).one("p.summary").text
    }
    #expect(try only(.within) == "The only app is within budget.")
    #expect(try only(.within, .within) == "Both apps are within budget.")
    #expect(try only(.within, .within, .within) == "All three apps are within budget.")
    #expect(try only(.broken) == "One app, with a broken budget.")
  }

  @Test("a card has the judgement of the app's page: reason, crash-free sessions, verdicts and days")
  func card() throws {
    let card = try page().card("com.example.shop")
    #expect(card.texts("p").first == "Crash-free sessions and screen load are broken.")
    #expect(try card.one("p.label").text == "Crash-free sessions of 4.3.0 (1298)")
    #expect(try card.one("p.figure").text == "98.71 %")
    #expect(try card.one("p.figure span")["title"] == "0.98712")
    #expect(card.texts("p.meta") == ["98.55–98.86 % · 16,840 sessions · 99.72 % in 4.2.0 (1251)"])
    #expect(
      card.facts == [
        "In use": "41.2 % adoption, first seen 2026-11-09",
        "Budgets": "✕ 2 broken ▲ 1 warning ○ 2 not enough data ✓ 8 within budget",
        "Days": "2026-11-09 to 2026-11-20",
      ])
    #expect(try card.one("svg.bar rect.fill")["width"] == "41.2")
    #expect(card.has("svg.spark path.first") && card.has("svg.spark path.before"))
    #expect(!card.has(".banner"))
  }

  @Test("a card counts the verdicts of the app's page, and has its number and interval")
  func agrees() throws {
    let card = try page().card("com.example.shop")
    let app = try HTMLPage.parse(AppView.render(Fleet.appPage, PageContext()))
    let shown =
      app.all("section tbody th > .tone").count + app.all("article.card header .badge").count
    // Each of the thirteen budgets stands on the page; what broke and is a vital, twice.
    let twice = Set(app.texts("article.card h3")).intersection(app.texts("tbody th > a")).count
    #expect(shown - twice == 13 && twice == 2)
    #expect(card.facts["Budgets"]?.split(separator: " ").compactMap { Int($0) }.reduce(0, +) == 13)
    let vital = try app.section("Vitals").card("Crash-free sessions")
    #expect(vital.texts("p.figure") == card.texts("p.figure"))
    #expect(card.texts("p.meta")[0].hasPrefix(vital.texts("p.meta")[0]))
  }

  @Test("a share of too few sessions for an interval is shown as a count")
  func few() throws {
    let card = try page().card("com.example.watchface")
    #expect(try card.one("p.few").text == "39 of 40 sessions" && !card.has("p.figure"))
    #expect(card.texts("p.meta") == ["40 sessions"])
    #expect(card.texts("p").first == "Nothing is broken, but most budgets do not have enough data.")
  }

  @Test("old data is a warning from the third day, and an app without data has no numbers")
  func old() throws {
    let page = try self.page()
    #expect(try page.card("com.example.watchface").one(".banner.warning").text == "▲ The newest data is 6 days old.")
    let fresh = try page.card("com.example.fresh")
    #expect(fresh.texts("p") == ["Nothing received yet."] && fresh.facts.isEmpty && !fresh.has("svg"))
    var overview = Fleet.overview
    overview.apps[1].status?.staleDays = 2
    #expect(try !self.page(overview).card("com.example.shop").has(".banner"))
    overview.apps[1].status?.staleDays = 3
    #expect(try self.page(overview).card("com.example.shop").has(".banner"))
  }

  @Test("an app whose budget file has an error is not judged, and is listed among the warnings")
  func budgetError() throws {
    var overview = Fleet.overview
    overview.apps[0].budgetError = "line 3"
    let page = try self.page(overview)
    let card = try page.card("com.example.reader")
    #expect(try card.one("header .badge.warning").text == "▲ Not judged")
    #expect(card.texts("p.meta").last == "The budget file has an error. See the app’s page.")
    #expect(page.texts("h2").firstIndex(of: "com.example.reader") == 1)
    #expect(try page.one("p.summary").text.contains("one with an error in the budget file"))
  }

  @Test("without apps the first page shows the two commands for the first one, and no sentence about budgets")
  func empty() throws {
    let page = try self.page(
      OverviewModel(apps: [], asOf: Fleet.asOf), PageContext(serverURL: "https://plumb.example.com"))
    #expect(page.texts("ol.steps h2") == ["Add your app", "Send a payload", "Reload this page"])
    #expect(
      page.texts("pre") == [
        "plumb app add com.example.shop",
        #"curl -H "Authorization: Bearer $PLUMB_KEY" \ --data-binary @payload.json \ https://plumb.example.com/v1/payloads"#,
      ])
    #expect(!page.has(".card") && !page.has("nav"))
  }

  @Test("the first page links to alerts and guides, and to the logout only if a user is logged in")
  func ways() throws {
    let page = try self.page(Fleet.overview, PageContext(isSignedIn: true))
    #expect(page.links("main ul.slice a") == ["/alerts", "/wall"] && page.links("footer a") == ["/guides"])
    #expect(try page.one("header form")["action"] == "/logout")
    #expect(try page.one("header form")["method"] == "post")
    #expect(try !self.page().has("header form"))
    let file = try self.page(Fleet.overview, PageContext(linkStyle: .files, isSignedIn: true))
    #expect(!file.has("form") && file.links("main ul.slice a") == ["alerts.html"])
  }
}

import Health
import Pages
import Storage
import Telemetry
import Testing

@Suite("An app's page")
struct AppViewTests {
  private func page(
    _ status: AppStatus = Fleet.appPage, impact: GroupImpact? = nil, _ context: PageContext = PageContext()
  ) throws -> Element { try HTMLPage.parse(AppView.render(status, impact: impact, context)) }

  private static let app = "/apps/com.example.shop"

  @Test("stands below all apps, and its navigation leads to every page of the app in their order")
  func frame() throws {
    let page = try self.page()
    #expect(page.texts("header nav li") == ["Apps", "com.example.shop"])
    #expect(page.links("header nav a") == ["/"])
    #expect(
      page.texts("nav.pages a") == [
        "Vitals", "Sessions", "Exits", "Crashes and hangs", "Compare", "Budgets", "Alerts", "Checklist",
        "Data quality", "Setup",
      ])
    let paths = [
      "", "/sessions", "/exits", "/groups", "/compare", "/budgets", "/alerts", "/checklist",
      "/data-quality", "/setup",
    ]
    #expect(page.links("nav.pages a") == paths.map { Self.app + $0 })
    #expect(page.texts("nav.pages a[aria-current=page]") == ["Vitals"])
    #expect(
      try page.one("footer p").text == "Read 2026-11-21 09:00 UTC. Payloads up to number 1,204,511. Guides")
  }

  @Test("says first what is broken as a whole, then which release breaks budgets")
  func sentence() throws {
    let summary = try page().one("p.summary")
    #expect(
      summary.text
        == "✕ Crash-free sessions and screen load are broken. Hang rate warns. Eight are within budget, two lack the data "
        + "to tell. 4.3.0 (1298) breaks one budget.")
    #expect(try summary.one(".tone")["class"] == "tone broken")
  }

  @Test("a calm app says first which release is not, and an app without numbers that nothing came")
  func calm() throws {
    var status = Fleet.appPage
    status.vitals = Array(Fleet.vitals[2...3])
    #expect(
      try page(status).one("p.summary").text
        == "✕ 4.3.0 (1298) breaks one budget. For all releases together: Both budgets are met.")
    status.releaseResults = []
    #expect(try page(status).one("p.summary").text == "✓ Both budgets are met.")
    status.vitals = []
    #expect(try page(status).one("p.summary").text == "· No budget has data in these days.")
    let context = PageContext(budgetError: "budgets.yaml:3: no metric")
    let unjudged = try page(Fleet.appPage, impact: nil, context)
    #expect(try unjudged.one("p.summary").text == "✕ Nothing is judged: the budget file has an error.")
    #expect(
      unjudged.texts("p.banner") == [
        "Nothing is judged, because the budget file has an error: budgets.yaml:3: no metric"
      ])
    #expect(
      try Set(unjudged.section("Ship or hold").texts("article > p")).contains(
        "Not judged: the budget file has an error."))
  }

  @Test("the newest releases are shipped or held, for a reason, with the way to what changed")
  func decisions() throws {
    let section = try page().section("Ship or hold")
    #expect(section.texts("h3") == ["4.3.1 (1302)", "4.3.0 (1298)"])
    #expect(section.texts(".badge") == ["✓ Ship", "✕ Hold"])
    #expect(section.all("article").map { $0["class"] } == ["card within", "card broken"])
    let newest = try section.card("4.3.1 (1302)")
    #expect(
      newest.texts("p") == [
        "Two of two budgets are met and none is broken.", "On 23.1 % of the last day’s use, since 2026-11-17",
        "What changed · against 4.3.0 (1298)",
      ])
    #expect(
      newest.links("p a") == [
        Self.app + "/releases/4.3.1%20%281302%29",
        Self.app + "/compare?base=4.3.0%20%281298%29&head=4.3.1%20%281302%29",
      ])
    #expect(try section.card("4.3.0 (1298)").texts("p").first == "Launch to first draw is broken.")
  }

  @Test("a release that was replaced is healthy and no longer shipped; one that warns is watched")
  func advice() throws {
    func badge(_ stage: ReleaseStage, _ verdicts: Verdict...) throws -> [String] {
      var status = Fleet.appPage
      var release = Fleet.releases[3]
      release.stage = stage
      status.decisions = [
        ReleaseDecision(release: release, previous: nil, results: Fleet.judged("4.1.2 (1190)", verdicts))
      ]
      return try page(status).section("Ship or hold").texts(".badge, article > p")
    }
    #expect(try badge(.replaced, .within, .within).first == "✓ Healthy")
    #expect(try badge(.adopted, .within, .within).first == "✓ Ship")
    #expect(try badge(.replaced, .broken).first == "✕ Hold")
    #expect(
      try badge(.adopted, .warning, .within).prefix(2) == ["▲ Watch", "Nothing is broken; Launch to first draw warns."])
    #expect(try badge(.adopted).prefix(2) == ["○ Wait for data", "Too few people have it to judge."])
    #expect(
      try badge(.adopted, .notEnoughData, .notEnoughData).prefix(2) == [
        "○ Wait for data", "Nothing is broken, but most budgets lack the data to tell.",
      ])
  }

  @Test("what broke is named with its number against the limit, since when, in which releases and on which devices")
  func breakages() throws {
    let section = try page().section("What broke")
    #expect(section.texts("h3") == ["Launch to first draw", "Hang rate"])
    #expect(section.all("article").map { $0["class"] } == ["card broken", "card warning"])
    let launch = try section.card("Launch to first draw")
    #expect(try launch.one("p.reading").text == "1.39 s 1.33–1.45 s against p90 ≤ 2 s")
    #expect(
      launch.facts == [
        "Since": "2026-11-09", "Release": "4.3.0 (1298)",
        "Devices": "✕ iPhone 12 and older 1.39 s, broken ✓ iPhone 16 1.39 s, within budget",
      ])
    #expect(launch.links("dd a") == [Self.app + "/releases/4.3.0%20%281298%29"])
    #expect(launch.all("dd .tone").map { $0["class"] } == ["tone broken", "tone within"])
    #expect(try launch.one(".advice p strong").text == "First:")
    #expect(launch.links(".advice > p > a") == ["/guides/launch"])
    #expect(
      try section.card("Hang rate").facts == [
        "Since": "before these days, or on and off", "Release": "all of them together",
      ])
  }

  @Test("of many breakages eight are shown, of many classes of devices three; the rest is counted beside its link")
  func many() throws {
    var status = Fleet.appPage
    var breakage = Fleet.breakages[0]
    breakage.classes = (1...5).map { number in
      SliceVerdict(
        dimension: "device_class", key: "class \(number)",
        result: Fleet.judged(nil, [number < 5 ? .broken : .within])[0])
    }
    status.breakages = Array(repeating: breakage, count: 10)
    let section = try page(status).section("What broke")
    #expect(section.all("article").count == 8)
    #expect(section.elements.last?.text == "2 more among all budgets")
    #expect(section.elements.last?.links() == [Self.app + "/budgets"])
    let items = section.all("article")[0].texts("dd li")
    #expect(items.count == 4 && items.last == "and 2 more, 1 of them broken")
  }

  @Test("vitals have a card each, crash-free first, with the number, its bounds and the limit in words")
  func vitals() throws {
    let section = try page().section("Vitals")
    #expect(
      section.texts("h3") == [
        "Crash-free sessions", "Crash-free user-days", "Launch to first draw", "Resume", "Extended launch", "Hang rate",
        "Peak memory", "Suspended memory", "Screen load",
      ])
    let expected: [String: [String]] = [
      "Crash-free sessions": ["card broken", "99.35 %", "99.28–99.42 % · 48,210 sessions", "Budget: ≥ 99.5 %"],
      "Launch to first draw": ["card within", "1.39 s p90", "1.33–1.45 s · 21,480 launches", "Budget: p90 ≤ 2 s"],
      "Hang rate": [
        "card warning", "2.60 s/h", "≥ 2.10 s/h · 8,204 payloads", "Budget: ≤ 5 s/h, warn at 1 s/h",
      ],
      "Peak memory": ["card within", "212 MB p90", "205–221 MB · 8,204 device-days", "Budget: p90 ≤ 300 MB"],
      "Screen load": ["card broken", "1.31 s p90", "1.24–1.39 s · 3,110 values", "Budget: p90 ≤ 1 s, on iPhone12,*"],
    ]
    for (title, lines) in expected {
      let card = try section.card(title)
      #expect(
        [card["class"] ?? ""] + card.texts("p.figure") + card.texts("p.meta") + card.texts("p.budget") == lines,
        "\(title)")
      #expect(card.has("figure svg.chart"))
    }
    let links = try section.card("Crash-free sessions").links("p.advice a")
    #expect(links == [Self.app + "/groups?kind=crash"])
    #expect(try section.card("Hang rate").links("p.advice a").first == Self.app + "/groups?kind=hang")
    #expect(try section.card("Resume").all(".advice").isEmpty)
  }

  @Test("a budget that cannot be judged says why and what would do")
  func unsure() throws {
    let section = try page().section("Vitals")
    let few = try section.card("Extended launch")
    #expect(few["class"] == "card unsure" && few.texts(".badge") == ["○ Not enough data"])
    #expect(try few.one("p.why").text == "17 launches; at least 29 are needed." && !few.has("figure"))
    #expect(
      try section.card("Crash-free user-days").one("p.why").text
        == "99.50 %, between 99.25 % and 99.68 %; about 14,000 more user-days are needed.")
  }

  @Test("as a file it has no forms and no links to two releases of choice, and says when it was made")
  func file() throws {
    let context = PageContext(linkStyle: .files, renderedAt: Fleet.asOf, choices: Fleet.choices)
    let page = try self.page(Fleet.appPage, impact: nil, context)
    #expect(try page.one("main > p.banner").text == "A copy made at 2026-11-21 09:00 UTC. It does not change.")
    #expect(!page.has("form") && !page.links().contains { $0.contains("?") })
    #expect(try !page.table("Adoption is the share").columns.contains("Compare"))
    #expect(
      page.links("nav.pages a").prefix(2) == [
        "../../apps/com.example.shop/index.html", "../../apps/com.example.shop/sessions.html",
      ])
    #expect(try page.one("head link[rel=stylesheet]")["href"] == "../../plumb.css")
    #expect(try page.section("Ship or hold").card("4.3.1 (1302)").all("p a").count == 1)
  }

  @Test("its groups of crashes say how much of the loss they are")
  func impact() throws {
    let section = try page(impact: Fleet.impact()).section("What crashes")
    // The release before is known too badly to say that it was better.
    #expect(
      section.texts("p").first
        == "Over the whole window, 99.20 % of the sessions of 4.2.0 were crash-free, and 99.70 % of those of 4.1.0, which "
        + "can be chance: this group accounts for 84.0 % of the 50 crashed sessions of 4.2.0.")
  }
}

import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("A release's page")
struct ReleaseViewTests {
  private static let app = "/apps/com.example.shop"
  private static let life = "from=2026-11-09&to=2026-11-20&environment=production&release=4.3.0%20%281298%29"

  private func page(
    _ model: ReleaseModel = Fleet.releasePage, impact: TopCrashGroups? = nil, _ context: PageContext = PageContext()
  ) throws -> Element { try HTMLPage.parse(ReleaseView.render(model, impact: impact, context)) }

  @Test("a release's page first states whether the release may continue, and the reason")
  func heading() throws {
    let page = try self.page()
    #expect(try page.one("h1").text == "Release 4.3.0 (1298)")
    #expect(page.texts("header nav li") == ["Apps", "com.example.shop", "4.3.0 (1298)"])
    let summary = try page.one("p.summary")
    #expect(summary.text == "✕ Hold Crash-free sessions and screen load are broken.")
    #expect(try summary.one(".badge")["class"] == "badge broken")
    #expect(
      page.texts("main ul.chips > li") == ["2026-11-09 to 2026-11-20", "production", "JSON", "CSV"])
    let context = PageContext(budgetError: "line 3")
    #expect(
      try self.page(Fleet.releasePage, impact: nil, context).one("p.summary").text
        == "✕ Hold Not judged: the budget file has an error.")
  }

  @Test("changes from the release before are listed worst first, and unchanged metrics last")
  func changes() throws {
    let section = try page().section("What changed since 4.2.0 (1251)")
    #expect(
      section.texts("p").first
        == "Worse in one, slightly worse in one, no difference shown in one, better in one, not enough data in two of six "
        + "metrics.")
    #expect(
      try section.table("4.3.0").heads == [
        "Crash-free sessions", "Launch to first draw p90", "Resume p90", "Peak memory p90", "Screen load p90",
        "Disk writes per device-day p90",
      ])
    #expect(
      try section.table("4.3.0").column("Verdict").map { $0.prefix { $0 != " " } } == [
        "↓", "↑", "=", "↓", "○", "○",
      ])
    #expect(
      section.links("p a") == [
        Self.app + "/compare?base=4.2.0%20%281251%29&head=4.3.0%20%281298%29"
      ])
  }

  @Test("the first release has no comparison")
  func first() throws {
    var model = Fleet.releasePage
    model.judgement.previous = nil
    model.comparison = nil
    model.comparisonNote = "this is the first known release, so there is nothing to compare it with."
    let section = try page(model).section("What changed")
    #expect(
      section.texts("p") == ["This is the first known release, so there is nothing to compare it with."]
        && !section.has("table"))
  }

  @Test("the adoption of a release is a number, a line from the first day, and a table")
  func adoption() throws {
    let section = try page().section("Adoption")
    #expect(
      section.texts("p").first
        == "41.2 % adoption; 16,840 sessions and 4,210 MetricKit payloads since 2026-11-09.")
    let table = try section.table("Adoption of 4.3.0 (1298) by day")
    // 6 % on the first day, 6 more on each, 41 % at most.
    #expect(try table.row("2026-11-09").texts == ["2026-11-09", "6.0 %", "–", "600"])
    #expect(try table.row("2026-11-14")["Value"] == "36.0 %" && table.row("2026-11-20")["Value"] == "41.0 %")
    #expect(try table.row("2026-11-08").texts == ["2026-11-08", "–", "–", "0"])
    var model = Fleet.releasePage
    model.judgement.release?.sessions = 0
    model.judgement.release?.payloads = 0
    model.judgement.release?.adoption = nil
    let unused = try page(model).section("Adoption")
    #expect(
      unused.texts("p") == ["No sessions or payloads received since 2026-11-09."] && !unused.has("figure"))
  }

  @Test("a release's breaches and vitals equal the app's, and link to the metric over its lifetime")
  func vitals() throws {
    let page = try self.page()
    #expect(
      try page.section("What broke").table().element.texts("tbody th > a") == [
        "Crash-free sessions", "Screen load", "Hang rate",
      ])
    let card = try page.section("Vitals").card("Launch to first draw")
    #expect(card.links("h3 a") == [Self.app + "/metrics/launch.first_draw?" + Self.life])
    #expect(
      card.links("p.data a") == [
        "/api/v1/apps/com.example.shop/metrics/launch.first_draw?" + Self.life,
        "/api/v1/apps/com.example.shop/metrics/launch.first_draw?format=csv&" + Self.life,
      ])
    #expect(
      try page.section("Other budgets").table().rows.first?.element.links("th a") == [
        Self.app + "/metrics/memory.peak?" + Self.life
      ])
    let builds = try page.section("Builds").table()
    #expect(builds.heads == ["4.3.0 (1298)"] && builds.rows[0]["Compare"] == "–")
  }

  @Test("a release's crash groups have their share of the loss, and the rate without each")
  func impact() throws {
    let section = try page(impact: Fleet.impact()).section("Top crashes")
    let table = try section.table("Crash groups of 4.2.0; crash-free sessions")
    #expect(table.columns == ["Group", "Crashed sessions", "Share", "Crash-free without it"])
    #expect(
      table.rows.map(\.texts) == [
        ["EXC_BAD_ACCESS in CartViewController.checkout() new", "17", "84.0 %", "99.87 % 89.88–99.97 %"]
      ])
    #expect(table.rows[0].element.links("th a") == [Self.app + "/groups/3f2a9c01d4e5b678"])
    #expect(try !page().texts("h2").contains("Top crashes"))
  }

  @Test("the sentence on a release's crashes claims only what is known")
  func claims() throws {
    func sentence(_ change: (inout TopCrashGroups) -> Void) throws -> String {
      var impact = Fleet.impact()
      change(&impact)
      return try page(impact: impact).section("Top crashes").texts("p").first ?? ""
    }
    let claim = "this group accounts for 84.0 % of the 50 crashed sessions of 4.2.0."
    // Intervals that lie apart: 99.20 % ends at 99.30, 99.70 % begins at 99.60.
    func apart(_ impact: inout TopCrashGroups) {
      impact.crashFree.estimate = Estimate(value: 0.992, low: 0.991, high: 0.993)
      impact.previousCrashFree.estimate = Estimate(value: 0.997, low: 0.996, high: 0.998)
    }
    #expect(
      try sentence(apart)
        == "Over the whole window, crash-free sessions fell from 99.70 % in 4.1.0 to 99.20 %: " + claim)
    #expect(
      try sentence { impact in
        apart(&impact)
        swap(&impact.crashFree, &impact.previousCrashFree)
      } == "Over the whole window, crash-free sessions rose from 99.20 % in 4.1.0 to 99.70 %: " + claim)
    #expect(
      try sentence { _ in }
        == "Over the whole window, 99.20 % of the sessions of 4.2.0 were crash-free, and 99.70 % of those of 4.1.0. "
        + "The difference may be chance. " + claim.capitalizedFirst)
    #expect(
      try sentence {
        $0.previous = nil
        $0.previousCrashFree = RatioEstimate()
      } == "99.20 % of the sessions of 4.2.0 were crash-free: " + claim)
  }
}

import Health
import Pages
import Storage
import Telemetry
import Testing

@Suite("The page of alerts")
struct AlertsViewTests {
  private func page(_ list: AlertList = Fleet.alerts, _ context: PageContext = PageContext()) throws -> Element {
    try HTMLPage.parse(AlertsView.render(list, context))
  }

  @Test("counts what is open, and says how incidents come to be opened where none is")
  func sentence() throws {
    #expect(try page().one("p.summary").text == "2 incidents are open.")
    var list = Fleet.alerts
    list.open = [list.open[0]]
    #expect(try page(list).one("p.summary").text == "One incident is open.")
    list.open = []
    list.past = []
    let none = try page(list)
    #expect(
      try none.one("p.summary").text
        == "No incident is open. They open when plumb check runs from cron, or plumb serve with --check-every.")
    #expect(!none.has("main section"))
  }

  @Test("an open incident has its severity, its app, the limit in words, the evidence and how long it is open")
  func open() throws {
    let section = try page().one("section#3f2a9c01d4e5b678")
    #expect(try section.one("h2").text == "✕ critical com.example.shop: crash-free sessions ≥ 99.5%")
    #expect(try section.one("h2 .badge")["class"] == "badge broken")
    #expect(
      section.texts("p").first
        == "sessions.crash_free is 98.88 % (98.25–99.36 % at 99.9 %, n 4,210), budget ≥ 99.5 % [production, 4.2.0 (1234), "
        + "2026-11-14 to 2026-11-20]")
    #expect(
      section.facts == [
        "Open since": "2026-11-20T03:00:00Z, for 30 h",
        "Evidence": "47 of 4,210 sessions crashed, of at least 41 users",
        "Better since": "2026-11-21T04:00:00Z, on 1,204 new events", "Last look": "2026-11-21T08:00:00Z",
      ])
    #expect(section.texts("p.meta") == ["List this release's crashes."])
    #expect(
      section.links() == ["/apps/com.example.shop", "/apps/com.example.shop/metrics/sessions.crash_free"])
  }

  @Test("an incident of no app leads nowhere; one that nobody was told of says so")
  func ofAllApps() throws {
    let section = try page().one("section#00000000000000aa")
    #expect(try section.one("h2").text == "▲ warning the digest")
    #expect(try section.one("h2 .badge")["class"] == "badge warning")
    #expect(section.facts["Told"] == "nobody: it is silenced" && section.facts["Better since"] == nil)
    #expect(section.links().isEmpty)
  }

  @Test("past incidents say how long they lasted and why they ended")
  func past() throws {
    let table = try page().section("Past").table("The newest first")
    #expect(
      table.rows.map(\.texts) == [
        [
          "com.example.shop", "payloads that stopped no payload for 26 h; before, one came every 4 min",
          "2026-11-13T01:00:00Z", "2026-11-14T07:00:00Z", "30 h", "Proven to be over.",
        ]
      ])
  }

  @Test("the alerts of one app name it and lead to those of all")
  func ofOneApp() throws {
    let page = try self.page(Fleet.alerts(of: Fleet.app), PageContext(filter: ReportQuery(os: "iOS 26.1")))
    #expect(try page.one("h1").text == "Alerts of com.example.shop")
    #expect(
      page.texts("main ul.slice li") == [
        "past ones of 90 days", "These alerts as JSON", "Alerts of all apps", "not narrowed by system",
      ])
    #expect(page.links("main ul.slice a") == ["/api/v1/apps/com.example.shop/alerts", "/alerts"])
    #expect(page.texts("nav.pages a[aria-current=page]") == ["Alerts"])
    #expect(try !self.page().has("nav.pages"))
  }
}

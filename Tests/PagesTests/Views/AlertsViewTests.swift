import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("The page of alerts")
struct AlertsViewTests {
  private func page(_ list: AlertList = Fleet.alerts, _ context: PageContext = PageContext()) throws -> Element {
    try HTMLPage.parse(AlertsView.render(list, context))
  }

  @Test("the page of alerts counts open incidents, and explains how they open if there is none")
  func sentence() throws {
    #expect(try page().one("p.summary").text == "2 incidents are open, 1 critical.")
    var list = Fleet.alerts
    list.open = [list.open[0]]
    #expect(try page(list).one("p.summary").text == "One incident is open, and it is critical.")
    list.open = []
    list.past = []
    let none = try page(list)
    #expect(
      try none.one("p.summary").text
        == "No incident is open. To check for incidents, run plumb check from cron or plumb serve with --check-every."
    )
    #expect(!none.has("main section"))
  }

  @Test("an open incident has its severity, breach, time, recipients and next steps")
  func open() throws {
    let card = try page().one("li#3f2a9c01d4e5b678")
    #expect(
      try card.one("h3").text == "✕ critical 4.2.0: a new crash in Cart.pay() explains 73 % of its crashes")
    #expect(try card.one("h3 .badge")["class"] == "badge broken")
    #expect(
      card.texts("p.meta").first
        == "Since 2026-11-19, detected 2026-11-20 03:00. Sent to team on 2026-11-21 03:00. "
        + "Not delivered to pager: 503.")
    // The advice of the new crash, and right behind it the link to its group.
    #expect(
      try card.one("p.advice").text
        == "Open the group. Find your first frame in the crashed thread and what changed there in 4.2.0. "
        + "Open the group")
    #expect(card.links("p.advice a") == ["/apps/com.example.shop/groups/3f2a9c01d4e5b678"])
    #expect(try card.one("details > summary").text == "What broke: 2")
    #expect(!card.has("form"), "only editors silence")
  }

  @Test("breaches are rows in a disclosure, a crash's cause before the rate, with limits in words")
  func breaches() throws {
    let rows = try page().one("li#3f2a9c01d4e5b678").all("ul.breaches > li")
    #expect(rows.count == 2)
    #expect(rows[0].texts("p").first == "New crash a new crash in Cart.pay() explains 73 % of its crashes")
    #expect(rows[0].texts("p.meta") == ["EXC_BAD_ACCESS in Cart.pay() is new in 4.2.0: 0.82 % of its sessions"])
    #expect(rows[1].texts("p").first == "Budget crash-free sessions is 98.88 %, budget ≥ 99.5 %")
    #expect(
      rows[1].texts("p.meta") == [
        "sessions.crash_free is 98.88 % (98.25–99.36 % at 99.9 %, n 4,210), budget ≥ 99.5 % [production, 4.2.0 (1234), "
          + "2026-11-14 to 2026-11-20]"
      ])
    #expect(
      rows[1].facts == [
        "Since": "2026-11-19", "Evidence": "47 of 4,210 sessions crashed, of at least 41 users",
        "Recovering since": "2026-11-21 04:00, over 1,204 new events",
      ])
  }

  @Test("an incident of the whole server has no link, and a silence has its end and reason")
  func ofAllApps() throws {
    let card = try page().one("li#00000000000000aa")
    #expect(try card.one("h3 .badge")["class"] == "badge warning")
    #expect(
      card.texts("p.meta").first
        == "Since 2026-11-21 07:00, detected 2026-11-21 07:00. Silenced until 2026-11-22 08:00: known")
    #expect(card.links().isEmpty)
  }

  @Test("editors silence an incident for a day with one click, and undo it with another")
  func silence() throws {
    var list = Fleet.alerts(of: Fleet.app)
    let editor = PageContext(isSignedIn: true, canEdit: true)
    let form = try page(list, editor).one("li#3f2a9c01d4e5b678 form")
    #expect(form["method"] == "post" && form["action"] == "/apps/com.example.shop/silences")
    let fields = form.all("input").map { "\($0["name"] ?? "")=\($0["value"] ?? "")" }
    #expect(fields == ["incident=3f2a9c01d4e5b678", "hours=24", "reason=silenced on the alerts page"])
    #expect(try form.one("button").text == "Silence for 24 hours")
    list.silences = [
      Silence(
        id: 9, app: 1, incident: "3f2a9c01d4e5b678", starts: Timestamp(milliseconds: Fleet.asOf.milliseconds - 1),
        ends: Timestamp(milliseconds: Fleet.asOf.milliseconds + 86_400_000), reason: "x", created: Fleet.asOf)
    ]
    let undo = try page(list, editor).one("li#3f2a9c01d4e5b678 form")
    #expect(undo["action"] == "/apps/com.example.shop/silences/9")
    #expect(try undo.one("button").text == "End the silence")
    #expect(try !page(list, PageContext()).has("main form"))
  }

  @Test("closed incidents are a table: since, end, duration, reason")
  func past() throws {
    let table = try page().section("Past incidents").table("Incidents that ended in the last 90 days, newest first")
    #expect(
      table.rows.map(\.texts) == [
        [
          "data: no payload for 26 h", "com.example.shop", "2026-11-12", "2026-11-14 07:00", "55 h",
          "Recovery confirmed.",
        ]
      ])
  }

  @Test("the alerts of one app have its name and a link to all, and the navigation counts open ones")
  func ofOneApp() throws {
    var context = PageContext(filter: ReportQuery(os: "iOS 26.1"))
    context.openIncidents = 2
    let page = try self.page(Fleet.alerts(of: Fleet.app), context)
    #expect(try page.one("h1").text == "Alerts of com.example.shop")
    #expect(
      page.texts("main ul.slice li") == ["These alerts as JSON", "Alerts of all apps", "not filtered by OS version"])
    #expect(page.links("main ul.slice a") == ["/api/v1/apps/com.example.shop/alerts", "/alerts"])
    #expect(page.texts("nav.pages a[aria-current=page]") == ["Alerts 2 open"])
    #expect(try !self.page().has("nav.pages"))
  }
}

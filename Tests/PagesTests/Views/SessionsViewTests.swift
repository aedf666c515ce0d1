import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("The page of sessions")
struct SessionsViewTests {
  private func page(_ model: SessionsModel = Fleet.sessionPage, _ context: PageContext = PageContext()) throws
    -> Element
  {
    try HTMLPage.parse(SessionsView.render(model, context))
  }

  @Test("the page of sessions counts sessions and users in one sentence")
  func sentence() throws {
    // 47,500 + 390 + 8 + 312.
    #expect(
      try page().one("p.summary").text
        == "48,210 sessions, of which 312 crashed: 99.35 % crash-free. 9,120 users, of whom 287 had a crash.")
    var model = Fleet.sessionPage
    model.users = UserReport()
    #expect(
      try page(model).one("p.summary").text == "48,210 sessions, of which 312 crashed: 99.35 % crash-free.")
  }

  @Test("the page of sessions shows crash-free sessions with their budget, then sessions, then failed sessions")
  func charts() throws {
    let page = try self.page()
    #expect(
      page.texts("h2") == [
        "Crash-free sessions by day", "Sessions and users per day", "Crashed and errored sessions per day", "Sessions",
        "By release", "By device class", "By OS version",
      ])
    let crashFree = try page.section("Crash-free sessions by day")
    #expect(crashFree.all("svg.wide").first?.texts("text.budget") == ["budget 99.5 %"])
    let table = try crashFree.table("Crash-free sessions by day")
    #expect(table.columns == ["Day", "Value", "Interval", "n"])
    #expect(try table.row("2026-11-08").texts == ["2026-11-08", "99.77 %", "98.50–99.90 %", "1,767"])
    #expect(try table.row("2026-11-09").texts == ["2026-11-09 4.3.0", "99.0 %", "98.5–99.9 %", "1,781"])
    #expect(try table.row("2026-11-03").texts == ["2026-11-03", "–", "–", "0"])
    let counts = try page.section("Sessions and users per day").table("Sessions and users per day")
    #expect(counts.columns == ["Day", "sessions", "Interval", "users", "Interval", "n"])
    #expect(try counts.row("2026-11-08").texts == ["2026-11-08", "1,767", "–", "840", "–", "1,767"])
    let wrong = try page.section("Crashed and errored sessions per day").table()
    #expect(wrong.columns == ["Day", "crashed", "Interval", "abnormal", "Interval", "errored", "Interval", "n"])
    #expect(
      try wrong.row("2026-11-09").texts == ["2026-11-09 4.3.0", "18", "–", "1", "–", "12", "–", "1,781"])
  }

  @Test("failed sessions have a colour per outcome, and crashed ones stand out in the chart and its label")
  func colours() throws {
    let chart = try page().section("Crashed and errored sessions per day").all("svg.wide")[0]
    let names = chart.all("text").filter { ["first", "second", "third"].contains($0["class"] ?? "") }
    // 12 errored in most days, 18 crashed at the end, 1 abnormal: from the top of the drawing down.
    #expect(
      names.map { [$0.text, $0["class"]] } == [["crashed", "third"], ["errored", "first"], ["abnormal", "second"]])
    // The missing day cuts each line in two.
    #expect(
      chart.all("path.line").map { $0["class"] }
        == ["third", "second", "first"].flatMap {
          ["line \($0)", "line \($0)"]
        })
  }

  @Test("user-days come before users, each with its own n")
  func shares() throws {
    let shares = try page().table("Crash-free and hang-free shares")
    #expect(
      shares.rows.map(\.texts) == [
        ["Crash-free sessions", "99.35 % 99.27–99.43 %", "48,210"],
        ["Crash-free user-days", "99.21 % 99.10–99.30 %", "31,000"],
        ["Crash-free users", "96.9 % 96.4–97.3 %", "9,120"],
      ])
  }

  @Test("parts have their crash-free sessions, a verdict and a link")
  func parts() throws {
    let table = try page().table("By release")
    #expect(table.columns == ["Release", "Crash-free", "n", "Verdict"])
    #expect(
      table.rows.map(\.texts) == [
        ["4.3.1 (1302)", "99.67 % 99.57–99.77 %", "9,120", "✓ Within budget"],
        ["4.3.0 (1298)", "98.71 % 98.61–98.81 %", "9,120", "✕ Broken"],
      ])
    #expect(
      table.rows.map { $0.element.links("th a") } == [
        ["?release=4.3.1%20%281302%29"], ["?release=4.3.0%20%281298%29"],
      ])
    #expect(try page().table("By device class").rows[0].element.links("th a") == ["?device_class=4.3.1%20%281302%29"])
  }

  @Test("burn rates that are too fast are shown with sessions")
  func burn() throws {
    var model = Fleet.sessionPage
    model.burn = Fleet.burn
    #expect(
      try page(model).section("Error budget").table().column("State") == [
        "OK", "OK", "Burning too fast", "Burning too fast",
      ])
  }

  @Test("without sessions the page names the clients that send them, and has no chart")
  func none() throws {
    var model = Fleet.sessionPage
    model.sessions = SessionReport()
    model.users = UserReport()
    model.days = model.days.map { SessionDay(day: $0.day) }
    let page = try self.page(model)
    #expect(try page.one("p.summary").text == "No sessions in this period.")
    #expect(
      page.texts("div.nothing p") == [
        "Sessions come from Sentry’s SDK, from OpenTelemetry’s session events, or from native JSON. MetricKit does not "
          + "report sessions.",
        "How to send data",
      ])
    #expect(!page.has("svg, table"))
  }
}

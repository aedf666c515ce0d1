import Testing

@testable import Core
@testable import Web

@Suite("Errors, login and guides")
struct NoticeViewTests {
  @Test(
    "an error page has its number, its meaning and one link",
    arguments: [
      (401, "Sign in first", "/login"), (403, "Not allowed", "/"), (404, "Not found", "/"),
      (418, "Bad request", "/"), (429, "Too many requests", "/"), (500, "Something failed", "/"),
      (503, "Busy", "/"), (504, "Something failed", "/"),
    ])
  func errors(status: Int, title: String, way: String) throws {
    let page = try HTMLPage.parse(HTTPErrorView.render(status: status, PageContext()))
    #expect(try page.one("p.label").text == "Error \(status)" && page.one("h1").text == title)
    #expect(page.links("main a.button") == [way])
    #expect(page.texts("main a.button") == [status == 401 ? "Sign in" : "Go to all apps"])
    #expect(try page.one("p.summary").text.count > 20)
    let detail = try HTMLPage.parse(HTTPErrorView.render(status: status, detail: "from: not a day", PageContext()))
    #expect(try detail.one("p.summary").text == "from: not a day")
  }

  @Test("the login page requests name and password, shows errors, and keeps the destination")
  func login() throws {
    let page = try HTMLPage.parse(
      LoginView.render(failure: "User name or password is wrong.", next: "/apps/x", PageContext()))
    let form = try page.one("main form")
    #expect(form["method"] == "post" && form["action"] == "/login")
    #expect(form.texts("label") == ["User name", "Password"])
    #expect(
      form.all("input").map { [$0["name"], $0["type"], $0["autocomplete"], $0["value"]] } == [
        ["user", nil, "username", nil], ["password", "password", "current-password", nil],
        ["next", "hidden", nil, "/apps/x"],
      ])
    #expect(try page.one("[role=alert]").text == "User name or password is wrong.")
    let plain = try HTMLPage.parse(LoginView.render(PageContext()))
    #expect(!plain.has("[role=alert]") && !plain.has("input[name=next]"))
  }

  @Test("the guides are listed with their targets and links")
  func guides() throws {
    let page = try HTMLPage.parse(GuidesView.render(PageContext()))
    let cards = page.all("ul.cards article")
    #expect(cards.flatMap { $0.links("h2 a") } == GuideView.families.map { "/guides/\($0)" })
    #expect(cards.count == 12 && cards.allSatisfy { $0.texts("p").first?.hasPrefix("Target: ") == true })
  }

  @Test("a guide has its sections in order, numbered causes, and its metrics with the default limits")
  func guide() throws {
    let page = try HTMLPage.parse(try #require(GuideView.render("memory", PageContext())))
    #expect(try page.one("h1").text == "Memory")
    #expect(page.texts("header nav li") == ["Apps", "Guides", "Memory"])
    #expect(
      page.texts("h2") == [
        "What people feel", "Confirm it", "Usual causes, in the order to check them", "What helps", "Afterwards",
        "Metrics",
      ])
    #expect(
      page.texts("main ol li") == [
        "Retain cycles: delegates, closures, timers.", "Caches without limits.", "Images that are never released.",
        "Copies of large values.",
      ])
    #expect(page.texts("main ul li code") == ["weak"])
    #expect(
      try page.table("The metrics of this guide").rows.map(\.texts) == [
        ["Peak memory", "memory.peak", "p90 ≤ 300 MB"], ["Suspended memory", "memory.suspended", "mean ≤ 100 MB"],
        ["Memory of a screen", "memory.screen", "p90 ≤ 100 MB"],
        ["Single allocation", "memory.allocation", "p99 ≤ 10 MB"],
      ])
    #expect(GuideView.render("nothing", PageContext()) == nil)
  }
}

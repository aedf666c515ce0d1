import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("The checklist of a release")
struct ChecklistViewTests {
  private func page(_ list: ReleaseChecklist = Fleet.checklist, _ context: PageContext = PageContext()) throws
    -> Element
  {
    try HTMLPage.parse(ChecklistView.render(list, context))
  }

  @Test("the checklist of a release shows how many topics have a verdict")
  func sentence() throws {
    let page = try self.page()
    #expect(try page.one("h1").text == "Release checklist: 4.3.1 (1302)")
    #expect(
      try page.one("p.summary").text == "One of ten topics has a verdict; one is broken. Check the boxes by hand.")
    var list = Fleet.checklist
    list.items[1].results = Fleet.judged(nil, [.within])
    #expect(
      try self.page(list).one("p.summary").text
        == "One of ten topics has a verdict, and none is broken. Check the boxes by hand.")
    list.items[1].results = []
    list.release = nil
    let unanswered = try self.page(list)
    #expect(
      try unanswered.one("p.summary").text == "None of the ten topics has a verdict yet. Test each on a device.")
    #expect(try unanswered.one("h1").text == "Release checklist")
    #expect(
      try self.page(list, PageContext(budgetError: "line 3")).one("p.summary").text
        == "Nothing is judged: the budget file has an error. Test each topic on a device.")
  }

  @Test("topics of the checklist are in working order, each with a verdict or to be tried by a person")
  func topics() throws {
    let items = try page().all("ol.checklist > li > section")
    #expect(
      items.map { $0.texts("h2").first } == [
        "Crashes and exits", "Launch", "Responsiveness", "Scrolling and drawing", "Memory", "Network", "Slow network",
        "Energy", "Disk", "Critical flows",
      ])
    #expect(items.map { $0["class"] }.filter { $0 != "card none" } == ["card broken"])
    #expect(
      items.map { $0.texts(".badge").first } == ["Test by hand", "✕ Broken"]
        + Array(repeating: "Test by hand", count: 8))
    #expect(
      items[1].texts("ul.plain li") == [
        "✕ Launch to first draw 1.39 s, broken (p90 ≤ 2 s)",
        "✓ Launch to first draw 1.39 s, within budget (p51 ≤ 1 s)",
      ])
    #expect(items[1].links("ul.plain a").first == "/apps/com.example.shop/metrics/launch.first_draw")
    #expect(items.allSatisfy { $0.has("input[type=checkbox]") })
    #expect(items[1].links("p.meta a") == ["/guides/launch"] && items[8].links("p.meta a") == ["/guides/disk-writes"])
  }
}

import Testing

@testable import Analysis
@testable import Web

@Suite("Numbers on pages")
struct NumberTests {
  private static let pages: [SamplePages.Entry] =
    SamplePages.all + [
      SamplePages.Entry(name: "overview") { OverviewView.render(Fleet.overview, $0) },
      SamplePages.Entry(name: "metric") { MetricView.render(Fleet.smallMetricPage, $0) },
      SamplePages.Entry(name: "compare") { CompareView.render(Fleet.comparisonByScreen, $0) },
    ]

  /// What stands behind a number: `s`, `MB`, `%`; and its decimals.
  private struct Form: Equatable {
    var decimals: Int
    var unit: Substring

    init?(_ text: some StringProtocol) {
      guard let match = String(text).firstMatch(of: /[\d,]+(?:\.(\d+))?(?:\u{A0}(.+))?$/) else { return nil }
      decimals = match.1?.count ?? 0
      unit = match.2 ?? ""
    }
  }

  @Test("a number and both ends of its interval have one unit and equal decimals", arguments: pages)
  func alike(page: SamplePages.Entry) throws {
    let page = try HTMLPage.parse(page.render(PageContext(choices: Fleet.choices)))
    for cell in page.all("td") + page.all("p.reading") {
      guard let interval = cell.all(".ci").first?.text, interval.contains("–"), !interval.contains("<"),
        !interval.contains(">"), let number = cell.all("span[title]").first?.text, let own = Form(number)
      else { continue }
      let ends = interval.split(separator: "–")
      #expect(ends.count == 2 && Form(ends[1]) == own, "\(number) \(interval)")
      #expect(Form(ends[0])?.decimals == own.decimals, "\(number) \(interval)")
    }
  }

  /// The pages of groups quote how samples were sent.
  private static let ownPages = pages.filter { !$0.name.hasPrefix("group") }

  @Test("times on pages are elements with the instant, in UTC", arguments: ownPages)
  func times(page: SamplePages.Entry) throws {
    let html = page.render(PageContext())
    let text = String(decoding: html, as: UTF8.self)
    // Nobody reads a T and a Z; addresses and data are no text.
    #expect(!text.contains(/>[^<]*\d{4}-\d\d-\d\dT\d\d:\d\d[^<]*Z[^<]*</))
    for time in try HTMLPage.parse(html).all("time") {
      let moment = try #require(time["datetime"])
      #expect(time.text == "\(moment.prefix(10)) \(moment.dropFirst(11).prefix(5)) UTC")
    }
  }
}

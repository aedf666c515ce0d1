import Testing

@testable import Analysis
@testable import Core
@testable import Web

/// The pages are served with `default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'`.
@Suite struct PolicyTests {
  private var pages: [String] {
    let context = PageContext(isSignedIn: true, choices: Fleet.choices)
    return [
      OverviewView.render(Fleet.overview, context), AppView.render(Fleet.appPage, context),
      MetricView.render(Fleet.metricPage, context), HTTPErrorView.render(status: 500, context),
      LoginView.render(context), OverviewView.render(OverviewModel(apps: [], asOf: Fleet.asOf), context),
    ].map { String(decoding: $0, as: UTF8.self) }
      + SamplePages.all.map { String(decoding: $0.render(context), as: UTF8.self) }
  }

  @Test("no page needs more than its stylesheet: no inline style, no other script, no other origin")
  func contentSecurityPolicy() {
    for page in pages {
      for forbidden in ["<script>", "<style", " style=\"", " onclick", "//fonts", "src=\"http", "href=\"http"] {
        #expect(!page.contains(forbidden), "\(forbidden)")
      }
    }
  }

  @Test("every page is well-formed, without duplicate ids or links to missing anchors", arguments: contexts)
  func wellFormed(context: PageContext) throws {
    for page in SamplePages.all { _ = try HTMLPage.parse(page.render(context)) }
  }

  private static let contexts = [
    PageContext(isSignedIn: true, filter: ReportQuery(os: "iOS 26.1", label: "cold"), choices: Fleet.choices),
    PageContext(linkStyle: .files, renderedAt: Fleet.asOf), PageContext(budgetError: "budgets.yaml:3: no metric"),
  ]

  @Test("every page has one main heading, a language, a link past the header, and landmarks")
  func semantics() {
    for page in pages {
      #expect(page.ranges(of: "<h1").count == 1)
      for needed in [
        "<html lang=\"en\">", "class=\"skip\"", "<main id=\"main\">", "<header class=\"top\">", "viewport",
      ] {
        #expect(page.contains(needed), "\(needed)")
      }
      #expect(page.ranges(of: "<table").count == page.ranges(of: "<caption>").count)
      #expect(page.ranges(of: "role=\"img\"").count == page.matches(of: /role="img"><title>/).count)
    }
  }

  @Test("28 days of data, the stylesheet and the icon weigh less than 150 KB") func weight() {
    let assets = PublicAssets.all.reduce(0) { $0 + $1.bytes.count }
    for page in pages { #expect(page.utf8.count + assets < 150_000) }
  }

  @Test("a page about data other than production's states that") func environmentNote() {
    var page = Fleet.appPage
    page.environmentNote = "These numbers are from TestFlight: production sent nothing in this window."
    #expect(String(decoding: AppView.render(page, PageContext()), as: UTF8.self).contains("from TestFlight"))
  }

  @Test("an app's page without data is a complete page") func nothingKnown() {
    let judgement = Judgement(window: Fleet.window, slice: Fleet.slice)
    let page = AppStatus(app: "x", judgement: judgement, window: Fleet.window, asOf: Fleet.asOf)
    let text = String(decoding: AppView.render(page, PageContext()), as: UTF8.self)
    #expect(text.contains("No budget has data in this period.") && !text.contains("<table"))
  }
}

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// What stands around the numbers of a page.
extension GoldenTests {
  static let launch = Page.metric(app: Fleet.app, name: "launch.first_draw")
  static let links = Links(style: .served, from: .app(Fleet.app))
  static let files = Links(style: .files, from: .app(Fleet.app))

  /// Everything that can be chosen.
  static let chosen = ReportQuery(
    from: Fleet.window.from, release: "4.3.0", os: "iOS 26.1", device: "iPhone15,2", deviceClass: "iPhone 99",
    label: "cold")
  private static let chosenSlice = Slice(
    release: "4.3.0", os: "iOS 26.1", device: "iPhone15,2", deviceClass: "iPhone 99", label: "cold")

  private static func layout(_ page: Page, _ context: PageContext) -> [UInt8] {
    Layout(page: page, title: "A title", context: context, asOf: Fleet.asOf, footer: "Payloads up to number 7.")
      .render { $0.element("h1", text: "The content") }
  }

  static let frame: [Component] = [
    Component(name: "layout") { layout(.overview, PageContext(isSignedIn: true)) },
    Component(name: "layout-file") { layout(launch, PageContext(linkStyle: .files, renderedAt: Fleet.asOf)) },
    Component(name: "layout-budget-error") {
      layout(.app(Fleet.app), PageContext(budgetError: "budgets.yaml:3: no metric"))
    },
    Component(name: "navigation-below-a-page") {
      markup { $0.write(AppNavigation(app: Fleet.app, links: Links(style: .served, from: launch))) }
    },
    Component(name: "breadcrumbs") {
      markup { $0.write(Breadcrumbs(pages: launch.trail, links: Links(style: .served, from: launch))) }
    },
    Component(name: "banners") {
      markup { html in
        html.write(Banner(text: "These numbers are from TestFlight."))
        if let stale = Banner.stale(6) { html.write(stale) }
      }
    },
    Component(name: "filter-bar") {
      markup {
        $0.write(
          FilterBar(page: .app(Fleet.app), window: Fleet.window, slice: Fleet.slice, context: PageContext()))
      }
    },
    Component(name: "filter-bar-chosen") {
      markup {
        $0.write(
          FilterBar(page: launch, window: Fleet.window, slice: chosenSlice, context: PageContext(filter: chosen)))
      }
    },
    Component(name: "filter-bar-file") {
      let context = PageContext(linkStyle: .files, choices: Fleet.choices)
      return markup { $0.write(FilterBar(page: launch, window: Fleet.window, slice: chosenSlice, context: context)) }
    },
    Component(name: "filter-chip") {
      let filter = ReportQuery(release: "4.3.0")
      return markup {
        $0.write(
          FilterChip(
            page: launch, part: .release, title: "Release", shown: "4.3.0", none: "Newest in use",
            options: ["4.3.1", "4.3.0"].map { .init(value: $0, title: $0) }, filter: filter,
            links: Links(style: .served, from: launch, filter: filter)))
      }
    },
    Component(name: "days-chip") {
      let filter = ReportQuery(from: Fleet.window.from, os: "iOS 26.1", label: "cold")
      return markup {
        $0.write(
          DaysChip(
            page: launch, window: Fleet.window, today: Fleet.lastDay + 1, filter: filter,
            links: Links(style: .served, from: launch, filter: filter)))
      }
    },
    Component(name: "empty-state") {
      markup { $0.write(EmptyState(what: "Nothing came.", app: Fleet.app, links: links)) }
    },
    Component(name: "empty-state-filtered") {
      let links = Links(style: .served, from: launch, filter: ReportQuery(os: "iOS 26.1"))
      return markup { $0.write(EmptyState(what: "Nothing came.", app: Fleet.app, links: links)) }
    },
    Component(name: "chart-data") {
      markup { html in
        html.write(ChartDataLinks(page: launch, table: .distribution, links: links))
        html.write(ChartDataLinks(page: launch, hasTable: false, links: files))
      }
    },
    Component(name: "names") {
      markup { html in
        html.write(Name("a <b>"))
        html.write(Name(String(repeating: "x", count: 97)))
        html.write(TimeElement(Fleet.asOf))
      }
    },
    Component(name: "login-form") { LoginView.render(failure: "Wrong.", next: "/apps/x", PageContext()) },
    Component(name: "first-steps") { markup { $0.write(FirstSteps(serverURL: "https://plumb.example.com")) } },
  ]
}

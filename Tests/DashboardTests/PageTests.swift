import Dashboard
import Health
import PublicAssets
import Storage
import Testing

@Suite struct PageTests {
  @Test("the first page") func overview() throws {
    try Golden.expect(OverviewPageView.render(Fleet.overview, PageContext(isSignedIn: true)), "overview")
  }

  @Test("the first page without apps says how to add one") func empty() throws {
    try Golden.expect(OverviewPageView.render(Overview(apps: [], asOf: Fleet.asOf), PageContext()), "empty")
  }

  @Test("an app's page") func app() throws {
    try Golden.expect(AppPageView.render(Fleet.appPage, PageContext()), "app")
  }

  @Test("an app's page as a file that opens without a server") func appFile() throws {
    let context = PageContext(linkStyle: .files, renderedAt: Fleet.asOf)
    try Golden.expect(AppPageView.render(Fleet.appPage, context), "app-file")
  }

  @Test("what became of what an app's clients sent") func dataQuality() throws {
    try Golden.expect(DataQualityPageView.render(Fleet.dataQuality, PageContext()), "data-quality")
  }

  @Test("crashes, hangs and the like, one by one") func diagnostics() throws {
    try Golden.expect(DiagnosticsPageView.render(Fleet.diagnostics, PageContext()), "diagnostics")
  }

  @Test("what is broken, and what was") func alerts() throws {
    try Golden.expect(AlertsPageView.render(Fleet.alerts, PageContext()), "alerts")
  }

  @Test("two releases side by side") func compare() throws {
    try Golden.expect(ComparePageView.render(Fleet.comparison, PageContext()), "compare")
  }

  @Test("a metric's page") func metric() throws {
    try Golden.expect(MetricPageView.render(Fleet.metricPage, PageContext()), "metric")
  }

  @Test("errors", arguments: [401, 404, 500]) func errors(status: Int) throws {
    try Golden.expect(ErrorPageView.render(status: status, PageContext()), "error-\(status)")
  }

  @Test("the sign-in page") func login() throws {
    let page = LoginPageView.render(failure: "User name or password is wrong.", next: "/apps/x", PageContext())
    try Golden.expect(page, "login")
  }

  @Test("every page beside an app's own", arguments: AppPages.all.map(\.name))
  func others(name: String) throws {
    let page = try #require(AppPages.all.first { $0.name == name })
    try Golden.expect(page.render(PageContext()), name)
  }

  @Test("filters are shown, kept by every link to the app, and lifted one by one") func filtered() throws {
    let filter = ReportQuery(
      from: Fleet.window.from, release: "4.3.0", os: "iOS 26.1", device: "iPhone15,2", deviceClass: "iPhone 99",
      label: "cold")
    var page = Fleet.metricPage
    page.slice = Slice(release: "4.3.0", os: "iOS 26.1", device: "iPhone15,2", deviceClass: "iPhone 99", label: "cold")
    let context = PageContext(filter: filter, choices: Fleet.choices)
    try Golden.expect(MetricPageView.render(page, context), "metric-filtered")
  }

  @Test("28 days of data, the stylesheet and the icon weigh less than 150 KB") func weight() {
    let assets = PublicAssets.ofPages.reduce(0) { $0 + $1.bytes.count }
    let context = PageContext(choices: Fleet.choices)
    let pages =
      AppPages.all.map { $0.render(context).count } + [
        AppPageView.render(Fleet.appPage, context).count, MetricPageView.render(Fleet.metricPage, context).count,
        OverviewPageView.render(Fleet.overview, context).count,
      ]
    #expect(pages.allSatisfy { $0 + assets < 150_000 })
  }
}

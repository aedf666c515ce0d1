import Dashboard
import Health
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

  @Test("28 days of data weigh less than 100 KB") func weight() {
    #expect(AppPageView.render(Fleet.appPage, PageContext()).count < 100_000)
    #expect(MetricPageView.render(Fleet.metricPage, PageContext()).count < 100_000)
    #expect(OverviewPageView.render(Fleet.overview, PageContext()).count < 100_000)
  }
}

import Issues
import Pages
import Health
import PublicAssets
import Storage
import Telemetry
import Testing

@Suite struct PageTests {
  @Test("the first page") func overview() throws {
    try Golden.expect(OverviewView.render(Fleet.overview, PageContext(isSignedIn: true)), "overview")
  }

  @Test("the first page without apps says how to add one") func empty() throws {
    try Golden.expect(OverviewView.render(OverviewModel(apps: [], asOf: Fleet.asOf), PageContext()), "empty")
  }

  @Test("an app's page") func app() throws {
    try Golden.expect(AppView.render(Fleet.appPage, PageContext()), "app")
  }

  @Test("an app's page as a file that opens without a server") func appFile() throws {
    let context = PageContext(linkStyle: .files, renderedAt: Fleet.asOf)
    try Golden.expect(AppView.render(Fleet.appPage, context), "app-file")
  }

  @Test("what became of what an app's clients sent") func dataQuality() throws {
    try Golden.expect(DataQualityView.render(Fleet.dataQuality, PageContext()), "data-quality")
  }

  @Test("crashes, hangs and the like, one by one") func diagnostics() throws {
    try Golden.expect(DiagnosticsView.render(Fleet.diagnostics, PageContext()), "diagnostics")
  }

  @Test("what is broken, and what was") func alerts() throws {
    try Golden.expect(AlertsView.render(Fleet.alerts, PageContext()), "alerts")
  }

  @Test("two releases side by side") func compare() throws {
    try Golden.expect(CompareView.render(Fleet.comparison, PageContext()), "compare")
  }

  @Test("a metric's page") func metric() throws {
    try Golden.expect(MetricView.render(Fleet.metricPage, PageContext()), "metric")
  }

  @Test("errors", arguments: [401, 404, 500]) func errors(status: Int) throws {
    try Golden.expect(ErrorView.render(status: status, PageContext()), "error-\(status)")
  }

  @Test("the sign-in page") func login() throws {
    let page = LoginView.render(failure: "User name or password is wrong.", next: "/apps/x", PageContext())
    try Golden.expect(page, "login")
  }

  @Test("every page beside an app's own", arguments: SamplePages.all.map(\.name))
  func others(name: String) throws {
    let page = try #require(SamplePages.all.first { $0.name == name })
    try Golden.expect(page.render(PageContext()), name)
  }

  @Test("a flame graph deeper than is drawn says so and leads on; as a file it is drawn whole")
  func deepFlame() throws {
    var tree = CallTree(binaries: [.init(name: "Shop", uuid: "")])
    for level in 0..<200 {
      tree.frames.append(
        .init(caller: level - 1, binary: 0, samples: 7, symbol: .init(function: "level\(level)()")))
    }
    tree.threads = [.init(range: tree.frames.indices, isAttributed: true)]
    let flame = FlameGraph([tree], NoSymbols())
    var page = Fleet.groupPage(hang: true)
    page.flame = flame
    let served = String(decoding: GroupView.render(page, focus: nil, PageContext()), as: UTF8.self)
    #expect(served.contains("120 more levels lie below the last one that is drawn"))
    #expect(served.contains("level79()</text>") && !served.contains("level80()</text>"))
    let next = try #require(flame.nodes.first { $0.name == "level79()" })
    #expect(served.contains("?focus=\(next.id)\">go on from"))
    let zoomed = String(decoding: GroupView.render(page, focus: next.id, PageContext()), as: UTF8.self)
    #expect(zoomed.contains("41 more levels lie") && zoomed.contains("level158()</text>"))
    let file = String(
      decoding: GroupView.render(page, focus: nil, PageContext(linkStyle: .files, renderedAt: Fleet.asOf)),
      as: UTF8.self)
    #expect(file.contains("level199()</text>") && !file.contains("more levels"))
  }

  @Test("code of the system has its offset in a flame graph while all samples are of one version of it")
  func systemOffsets() {
    func tree(_ uuid: String, _ offset: UInt64) -> CallTree {
      CallTree(
        binaries: [.init(name: "UIKitCore", uuid: uuid)],
        frames: [
          .init(caller: -1, binary: 0, offset: offset, samples: 3), .init(caller: 0, binary: 0, offset: 9, samples: 3),
        ], threads: [.init(range: 0..<2, isAttributed: true)])
    }
    let one = FlameGraph([tree("A", 64), tree("A", 64)], NoSymbols())
    #expect(one.nodes.map(\.name) == ["UIKitCore + 0x40", "UIKitCore + 0x9"] && one.samples == 6)
    let two = FlameGraph([tree("A", 64), tree("B", 80)], NoSymbols())
    #expect(two.nodes.map(\.name) == ["UIKitCore"] && two.samples == 6)
  }

  @Test("filters are shown, kept by every link to the app, and lifted one by one") func filtered() throws {
    let filter = ReportQuery(
      from: Fleet.window.from, release: "4.3.0", os: "iOS 26.1", device: "iPhone15,2", deviceClass: "iPhone 99",
      label: "cold")
    var page = Fleet.metricPage
    page.slice = Slice(release: "4.3.0", os: "iOS 26.1", device: "iPhone15,2", deviceClass: "iPhone 99", label: "cold")
    let context = PageContext(filter: filter, choices: Fleet.choices)
    try Golden.expect(MetricView.render(page, context), "metric-filtered")
  }

  @Test("28 days of data, the stylesheet and the icon weigh less than 150 KB") func weight() {
    let assets = PublicAssets.ofPages.reduce(0) { $0 + $1.bytes.count }
    let context = PageContext(choices: Fleet.choices)
    let pages =
      SamplePages.all.map { $0.render(context).count } + [
        AppView.render(Fleet.appPage, context).count, MetricView.render(Fleet.metricPage, context).count,
        OverviewView.render(Fleet.overview, context).count,
      ]
    #expect(pages.allSatisfy { $0 + assets < 150_000 })
  }
}

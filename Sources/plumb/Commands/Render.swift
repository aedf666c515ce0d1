import ArgumentParser
import Dashboard
import Foundation
import Health
import PublicAssets
import Storage

/// `plumb render`
struct Render: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the whole dashboard as files that open without a server.",
    discussion: "Example:\n  plumb render --out site && open site/index.html")

  @Option(help: "The folder to write to. Files of the same names are replaced.")
  var out: String

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let store = try installation.store()
    let book = BudgetBook(installation.folder, file: try folder.settings().value("budgets", flag: budgets))
    let now = Clock.now()
    let context = PageContext(linkStyle: .files, renderedAt: now)
    let site = SiteFolder(URL(fileURLWithPath: out, isDirectory: true))
    for asset in PublicAssets.ofPages { try site.write(asset.bytes, to: asset.name) }
    let apps = try installation.control.apps()
    try book.check(against: apps)
    var summaries: [AppSummary] = []
    var bar = ProgressBar("Rendering", total: apps.count)
    var pages = 1
    for (index, app) in apps.enumerated() {
      let health = try book.health(of: app, store)
      summaries.append(try health.summary(app, now: now))
      let page = try health.appPage(app, now: now)
      try site.write(AppPageView.render(page, context), to: Page.app(app.bundleID).fileName)
      try site.write(page.report.json(), to: Page.data(of: .app(app.bundleID), .json).fileName)
      let quality = try health.dataQuality(app, now: now)
      try site.write(
        DataQualityPageView.render(quality, context), to: Page.dataQuality(app: app.bundleID).fileName)
      try site.write(quality.json(), to: Page.data(of: .dataQuality(app: app.bundleID), .json).fileName)
      let diagnostics = try health.diagnostics(app)
      try site.write(
        DiagnosticsPageView.render(diagnostics, context), to: Page.diagnostics(app: app.bundleID).fileName)
      try site.write(diagnostics.json(), to: Page.data(of: .diagnostics(app: app.bundleID), .json).fileName)
      pages += 3
      for name in Self.metrics(of: page) {
        guard let metric = try health.metricPage(app, metric: name, now: now) else { continue }
        try site.write(
          MetricPageView.render(metric, context), to: Page.metric(app: app.bundleID, name: name).fileName)
        pages += 1
      }
      bar.show(index + 1)
    }
    try site.write(
      OverviewPageView.render(Overview(apps: summaries, asOf: now), context), to: Page.overview.fileName)
    Console.print("\(pages) pages in \(out): open \(out)/index.html")
  }

  /// Every metric an app's page may link to.
  private static func metrics(of page: AppPage) -> [String] {
    let derived = ["sessions.crash_free", "users.crash_free", "users.crash_free_daily"]
    return Set(page.report.metrics.map(\.name) + page.report.budgets.map(\.metric) + derived).sorted()
  }
}

/// A folder that a site is written to.
struct SiteFolder {
  private let root: URL

  init(_ root: URL) { self.root = root }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = root.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }
}

import ArgumentParser
import Pages
import Foundation
import Health
import PublicAssets
import SQLiteStore
import Storage
import Symbols

/// `plumb render`
struct Render: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the whole dashboard as files that open without a server.",
    discussion: """
      Example:
        plumb render --out site && open site/index.html

      A page says when it was made; one whose numbers did not change since is not written again. plumb-files.txt lists what \
      was written: what a later copy has no more, such as the pages of an app that was removed, is taken away.
      """)

  @Option(help: "The folder to write to. Files of the same names are replaced; those that did not change stay.")
  var out: String

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let store = try installation.store(samples: SQLiteDiagnosticBodies(path: installation.folder.samples))
    let settings = try folder.settings()
    let book = BudgetRepository(installation.folder, file: settings.value("budgets", flag: budgets))
    let symbols = try Symbolizer.ofProcess(try installation.symbols(settings), settings) { Console.complain($0) }
    let now = Clock.now()
    let context = PageContext(linkStyle: .files, renderedAt: now)
    let site = SiteFolder(URL(fileURLWithPath: out, isDirectory: true))
    for asset in PublicAssets.ofPages { try site.write(asset.bytes, to: asset.name) }
    let apps = try installation.control.apps()
    try book.check(against: apps)
    try site.write(GuidesPageView.render(context), to: Page.guides.fileName)
    for family in GuidePageView.families {
      guard let guide = GuidePageView.render(family, context) else { continue }
      try site.write(guide, to: Page.guide(family).fileName)
    }
    var summaries: [AppSummary] = []
    var bar = ProgressBar("Rendering", total: apps.count)
    for (index, app) in apps.enumerated() {
      let health = book.shownHealth(of: app, store)
      if let error = health.budgetError { Console.complain("\(app.bundleID) is not judged: \(error)") }
      var context = context
      context.budgetError = health.budgetError
      let groups = GroupReader(installation, store, health, symbols: symbols)
      let pages = AppSite(app: app, health: health, groups: groups, context: context, folder: site, now: now)
      try store.snapshot {
        summaries.append(try health.summary(app, now: now))
        try pages.write()
      }
      try write(try AlertList.read(installation.control, app: app, now: now), to: site, context)
      bar.show(index + 1)
    }
    try write(try AlertList.read(installation.control, app: nil, now: now), to: site, context)
    let overview = Overview(apps: summaries, asOf: now)
    try site.write(overview.json(), to: Page.data(of: .overview, .json).fileName)
    try site.write(OverviewPageView.render(overview, context), to: Page.overview.fileName)
    let removed = try site.removeOld()
    Console.print(
      "\(site.files) files in \(out), \(site.written) of them new or changed\(removed > 0 ? ", \(removed) old ones removed" : "")"
        + ": open \(out)/index.html")
  }

  private func write(_ alerts: AlertList, to site: SiteFolder, _ context: PageContext) throws {
    let page = Page.alerts(app: alerts.app)
    try site.write(AlertsPageView.render(alerts, context), to: page.fileName)
    try site.write(alerts.json(), to: Page.data(of: page, .json).fileName)
  }
}

import Dashboard
public import Foundation
import Health
import PublicAssets
import SQLiteStore
import Storage
import Symbols
public import Telemetry

/// The whole dashboard as files that open without a server.
public struct StaticSite {
  /// What a run of `write` did.
  public struct Outcome {
    /// Files that the site consists of.
    public var files: Int
    /// Those that are new or changed.
    public var written: Int
    /// Files of an earlier run that are gone.
    public var removed: Int
  }

  private let installation: Installation
  private let settings: Settings
  private let budgets: BudgetRepository
  private let now: Timestamp

  /// `budgets`: the path of a budget file; nil for those in the data folder.
  public init(_ installation: Installation, _ settings: Settings, budgets: String?, now: Timestamp) {
    self.installation = installation
    self.settings = settings
    self.budgets = BudgetRepository(installation.folder, file: budgets)
    self.now = now
  }

  /// Writes every page and its data to `folder`.
  ///
  /// - Parameters:
  ///   - complain: receives a line for each app whose budget file has an error.
  ///   - progress: receives how many of all apps are done, after each.
  public func write(
    to folder: URL, complain: @escaping @Sendable (String) -> Void, progress: (_ done: Int, _ all: Int) -> Void
  ) throws -> Outcome {
    let store = try installation.store(samples: SQLiteDiagnosticBodies(path: installation.folder.samples))
    let symbols = try Symbolizer.ofProcess(try installation.symbols(settings), settings, report: complain)
    let context = PageContext(linkStyle: .files, renderedAt: now)
    let site = SiteFolder(folder)
    for asset in PublicAssets.ofPages { try site.write(asset.bytes, to: asset.name) }
    let apps = try installation.control.apps()
    try budgets.check(against: apps)
    try site.write(GuidesPageView.render(context), to: Page.guides.fileName)
    for family in GuidePageView.families {
      guard let guide = GuidePageView.render(family, context) else { continue }
      try site.write(guide, to: Page.guide(family).fileName)
    }
    var summaries: [AppSummary] = []
    for (index, app) in apps.enumerated() {
      let health = budgets.shownHealth(of: app, store)
      if let error = health.budgetError { complain("\(app.bundleID) is not judged: \(error)") }
      var context = context
      context.budgetError = health.budgetError
      let groups = GroupReader(installation, store, health, symbols: symbols)
      let pages = AppSite(app: app, health: health, groups: groups, context: context, folder: site, now: now)
      try store.snapshot {
        summaries.append(try health.summary(app, now: now))
        try pages.write()
      }
      try write(try AlertList.read(installation.control, app: app, now: now), to: site, context)
      progress(index + 1, apps.count)
    }
    try write(try AlertList.read(installation.control, app: nil, now: now), to: site, context)
    let overview = Overview(apps: summaries, asOf: now)
    try site.write(overview.json(), to: Page.data(of: .overview, .json).fileName)
    try site.write(OverviewPageView.render(overview, context), to: Page.overview.fileName)
    let removed = try site.removeOld()
    return Outcome(files: site.files, written: site.written, removed: removed)
  }

  private func write(_ alerts: AlertList, to site: SiteFolder, _ context: PageContext) throws {
    let page = Page.alerts(app: alerts.app)
    try site.write(AlertsPageView.render(alerts, context), to: page.fileName)
    try site.write(alerts.json(), to: Page.data(of: page, .json).fileName)
  }
}

import Pages
import Health
import PublicAssets
import Storage
import Telemetry

/// The pages of one app as files, with the data behind them.
struct AppSite {
  let app: App
  let health: HealthReader
  let groups: GroupReader
  let context: PageContext
  let folder: SiteFolder
  let now: Timestamp

  private var id: String { app.bundleID }

  func write() throws {
    let page = try health.appPage(app, now: now)
    let impact = try groups.newestImpact(app, now: now)
    try html(AppPageView.render(page, impact: impact, context), .app(id))
    try folder.write(page.report.json(), to: Page.data(of: .app(id), .json).fileName)
    try sections()
    let changed = try releases(page) + compare(page)
    try metrics(Set(Self.metrics(of: page) + changed))
  }

  private func sections() throws {
    let sessions = try health.sessionPage(app, now: now)
    try both(SessionPageView.render(sessions, context), sessions, .sessions(app: id))
    let exits = try health.exitPage(app, now: now)
    try both(ExitPageView.render(exits, context), exits, .exits(app: id))
    let budgets = try health.budgetPage(app, now: now)
    try both(BudgetPageView.render(budgets, context), budgets, .budgets(app: id))
    let checklist = try health.checklist(app, now: now)
    try both(ChecklistPageView.render(checklist, context), checklist, .checklist(app: id))
    let quality = try health.dataQuality(app, now: now)
    try both(DataQualityPageView.render(quality, context), quality, .dataQuality(app: id))
    let diagnostics = try health.diagnostics(app)
    try both(DiagnosticsPageView.render(diagnostics, context), diagnostics, .diagnostics(app: id))
    try groupPages()
    let setup = try health.setupPage(app, now: now)
    // A copy may lie anywhere: keys stay at home.
    try html(SetupPageView.render(setup, app: app, keys: [], context), .setup(app: id))
    try folder.write(setup.json(), to: Page.data(of: .setup(app: id), .json).fileName)
  }

  /// The list and every group on it, and those that releases name. A graph is not zoomed: that needs somebody who
  /// answers.
  private func groupPages() throws {
    let list = try groups.groups(app, now: now)
    try both(GroupsPageView.render(list, context), list, .groups(app: id, kind: nil))
    for known in list.groups { try group(known.id) }
  }

  private func group(_ name: String) throws {
    guard let page = try groups.group(app, named: name, now: now) else { return }
    try both(GroupPageView.render(page, context), page, .group(app: id, id: name))
  }

  /// Every release of the environment, and those that a page may link to. Returns the metrics that were compared.
  private func releases(_ page: AppPage) throws -> [String] {
    let shown = page.report.releases.map(\.release) + page.decisions.map(\.release.release)
    let known = try health.releasesEver(app, environment: page.report.slice.environment)
    var names = Set((shown + known).filter { $0 != .mixed }.map(\.title))
    names.formUnion(page.breakages.flatMap(\.releases))
    return try names.sorted().flatMap { name -> [String] in
      guard let release = try health.releasePage(app, release: name, now: now) else { return [] }
      let impact = try groups.impact(app, release: name, now: now)
      // A long list of groups may have left them out.
      for part in impact?.parts ?? [] { try group(part.group.id) }
      try both(ReleasePageView.render(release, impact: impact, context), release, .release(app: id, name: name))
      return (release.comparison?.metrics.map(\.name) ?? []) + release.vitals.map(\.result.metric)
    }
  }

  /// The newest release beside the one before.
  private func compare(_ page: AppPage) throws -> [String] {
    let target = Page.newest(app: id)
    let pair = try health.filterChoices(app, now: now).releases.prefix(2)
    guard pair.count == 2, let head = pair.first, let base = pair.last else {
      let why = "There are not two releases in these days: a comparison needs another one."
      try html(NothingToCompareView.render(app: id, why: why, asOf: now, context), target)
      return []
    }
    do {
      let comparison = try health.compare(app, base: base, head: head, now: now)
      try html(ComparePageView.render(comparison, context, at: target), target)
      try folder.write(comparison.json(), to: Page.data(of: target, .json).fileName)
      return comparison.metrics.map(\.name)
    } catch let error as ImpossibleComparison {
      try html(NothingToCompareView.render(app: id, why: "\(error).", asOf: now, context), target)
      return []
    }
  }

  private func metrics(_ names: Set<String>) throws {
    for name in names.sorted() {
      let target = Page.metric(app: id, name: name)
      if let metric = try health.metricPage(app, metric: name, now: now) {
        try both(MetricPageView.render(metric, context), metric, target)
      } else {
        try html(NoMetricView.render(app: id, metric: name, asOf: now, context), target)
      }
    }
  }

  private func html(_ bytes: [UInt8], _ page: Page) throws { try folder.write(bytes, to: page.fileName) }

  /// A page, and its numbers as JSON and as a table.
  private func both(_ bytes: [UInt8], _ data: some TableConvertible, _ page: Page) throws {
    try html(bytes, page)
    try folder.write(data.json(), to: Page.data(of: page, .json).fileName)
    try folder.write(data.table.csv(), to: Page.data(of: page, .csv).fileName)
    for name in DataTable.allCases {
      if let table = data.table(name) { try folder.write(table.csv(), to: Page.table(of: page, name).fileName) }
    }
  }

  /// Every metric an app's page may link to.
  private static func metrics(of page: AppPage) -> [String] {
    let derived = ["sessions.crash_free", "users.crash_free", "users.crash_free_daily"]
    return page.report.metrics.map(\.name) + page.report.budgets.map(\.metric) + page.releaseResults.map(\.metric)
      + derived
  }
}

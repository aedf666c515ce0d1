import Pages
import HTTP
import Health
import Storage
import Telemetry

/// The pages of one app.
struct AppRoutes {
  private let asked: AppQuestion
  private let page: PageContext

  init(_ asked: AppQuestion, _ page: PageContext) throws {
    self.asked = asked
    var page = page
    page.filter = asked.query
    page.budgetError = asked.health.budgetError
    page.choices = try asked.health.filterChoices(asked.app, asked.query, now: asked.now)
    self.page = page
  }

  private var app: App { asked.app }
  private var health: HealthReader { asked.health }
  private var now: Timestamp { asked.now }

  /// `parts` is what stands behind the app in the address.
  func content(_ parts: [String], _ request: RequestSnapshot) throws -> PageRoutes.Content? {
    switch (parts.count, parts.first) {
    case (0, _):
      let impact = try asked.groups.newestImpact(app, asked.unlabelled, now: now)
      let model = try health.appPage(app, asked.unlabelled, now: now)
      return .html(AppPageView.render(model, impact: impact, page))
    case (1, "groups"):
      let kind = try DiagnosticParameters.kind(request)
      let groups = try asked.groups.groups(app, asked.unlabelled, kind: kind, now: now)
      return .html(GroupsPageView.render(groups, page))
    case (2, "groups"):
      return try asked.groups.group(app, named: parts[1], asked.unlabelled, now: now)
        .map { .html(GroupPageView.render($0, focus: request.query("focus"), page)) }
    case (2, "metrics"): return try metric(parts[1])
    case (2, "releases"):
      return try health.releasePage(app, release: parts[1], asked.unlabelled, now: now).map { release in
        let impact = try asked.groups.impact(app, release: parts[1], asked.environmentOnly, now: now)
        return .html(ReleasePageView.render(release, impact: impact, page))
      }
    case (1, "compare"): return try compare(request)
    case (1, "setup"): return try setup()
    case (1, _): return try section(parts[0])
    default: return nil
    }
  }

  /// The pages that every app has once, and that take filters.
  private func section(_ name: String) throws -> PageRoutes.Content? {
    let query = asked.unlabelled
    switch name {
    case "sessions": return try content(health.sessionPage(app, query, now: now)) { SessionPageView.render($0, $1) }
    case "exits": return try content(health.exitPage(app, query, now: now)) { ExitPageView.render($0, $1) }
    case "budgets": return try content(health.budgetPage(app, query, now: now)) { BudgetPageView.render($0, $1) }
    case "checklist": return try content(health.checklist(app, query, now: now)) { ChecklistPageView.render($0, $1) }
    case "data-quality":
      return try content(health.dataQuality(app, query, now: now)) { DataQualityPageView.render($0, $1) }
    case "diagnostics": return try content(health.diagnostics(app)) { DiagnosticsPageView.render($0, $1) }
    default: return nil
    }
  }

  /// The model is read now, and rendered later.
  private func content<Model>(
    _ model: Model, _ render: @escaping (Model, PageContext) -> [UInt8]
  ) -> PageRoutes.Content {
    .html(render(model, page))
  }

  private var unlabelledPage: PageContext {
    var page = page
    page.filter.label = nil
    return page
  }

  private func metric(_ name: String) throws -> PageRoutes.Content? {
    if let model = try health.metricPage(app, metric: name, asked.query, now: now) {
      return .html(MetricPageView.render(model, page))
    }
    // A label that was chosen on another metric's page means nothing here, where no such label is known.
    if let label = asked.query.label, let model = try health.metricPage(app, metric: name, asked.unlabelled, now: now) {
      let page = unlabelledPage
      return .html(MetricPageView.render(model, unknownLabel: label, page))
    }
    // A name of the catalogue, or one that has data without these filters. Anything else nobody ever sent.
    let isKnown =
      try Catalogue.metric(named: name) != nil
      || asked.query != ReportQuery() && health.metricPage(app, metric: name, now: now) != nil
    return isKnown ? .html(NoMetricView.render(app: app.bundleID, metric: name, asOf: now, page)) : nil
  }

  /// The two releases that were asked for, else the newest ones.
  private func compare(_ request: RequestSnapshot) throws -> PageRoutes.Content? {
    if request.query("base") != nil || request.query("head") != nil {
      let pair = try ComparisonRequest(request)
      do {
        let comparison = try pair.found(of: app, health, at: now)
        return .html(ComparePageView.render(comparison, page))
      } catch let error as ImpossibleComparison {
        return .html(
          NothingToCompareView.render(
            app: app.bundleID, why: "\(error).", base: pair.base, head: pair.head, asOf: now, page))
      }
    }
    let pair = page.choices?.releases.prefix(2) ?? []
    guard pair.count == 2, let head = pair.first, let base = pair.last else {
      let why =
        "There are not two releases in these days: a comparison needs another one."
      return .html(NothingToCompareView.render(app: app.bundleID, why: why, asOf: now, page))
    }
    do {
      let comparison = try health.compare(app, base: base, head: head, asked.unlabelled, now: now)
      return .html(ComparePageView.render(comparison, page))
    } catch let error as ImpossibleComparison {
      return .html(NothingToCompareView.render(app: app.bundleID, why: "\(error).", asOf: now, page))
    }
  }

  private func setup() throws -> PageRoutes.Content {
    let setup = try health.setupPage(app, now: now)
    var content = PageRoutes.Content.html(SetupPageView.render(setup, app: app, keys: app.keys, page))
    content.isLasting = setup.hasReceived
    content.holdsSecrets = true
    return content
  }
}

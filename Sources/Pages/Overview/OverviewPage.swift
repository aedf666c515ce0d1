import Budgets
package import Health
package import Storage
package import Telemetry

/// The first page of the site: all apps.
public enum OverviewPage: PageDefinition {
  public static let path: PathPattern = ""
  public static let file: PathPattern = "index"
  public static let parent: (any PageAddress.Type)? = nil
  public static let endpoints = [modelEndpoint("apps", hasTable: false)]

  public static func breadcrumb(_ page: Page) -> String { "Apps" }

  public static func load(_ request: PageRequest) throws -> OverviewModel? {
    let source = request.source
    let apps = try source.apps().map { app in
      try source.summary(app) { try source.health(app).summary(app, now: source.now) }
    }
    return OverviewModel(apps: apps, asOf: source.now)
  }

  public static func view(_ model: OverviewModel, _ context: PageContext) -> [UInt8] {
    OverviewView.render(model, context)
  }

  public static func data(_ model: OverviewModel) -> PageData? { .json(model.json) }
}

extension Page {
  public static let overview = Page(OverviewPage.self)
}

extension HealthReader {
  /// Reads the summary of one app.
  package func summary(_ app: App, now: Timestamp) throws -> AppSummary {
    let scope = try scope(of: app, .init(), now: now)
    guard !scope.inventory.environments.isEmpty else {
      return AppSummary(id: app.bundleID, verdict: nil, budgetError: budgetError)
    }
    let series = try budgetedSeries(scope)
    let releases = try releases(scope)
    let results = try results(scope, series: series) + releaseResults(scope, releases: releases)
    let sessions = Self.sessions(series)
    var counts: [Verdict: Int] = [:]
    for result in results { counts[result.verdict, default: 0] += 1 }
    var summary = AppSummary(
      id: app.bundleID, verdict: Verdict.worst(of: results.map(\.verdict)), verdictCounts: counts,
      crashFree: sessions.crashFree,
      crashFreeTrend: Trend.points(scope.steps, series, "sessions.crash_free", .value),
      sessions: sessions.total, mainRelease: releases.max { ($0.adoption ?? 0) < ($1.adoption ?? 0) },
      window: scope.window, environmentNote: scope.environmentNote, staleDays: scope.staleDays, budgetError: budgetError
    )
    summary.worst = results.filter { !$0.metric.contains("crash_free") }
      .min { (Optional($0.verdict).severity, -$0.excess) < (Optional($1.verdict).severity, -$1.excess) }
    return summary
  }
}

extension BudgetResult {
  /// How many times the limit the value is, or the limit the value where higher is better; 0 if unknown.
  fileprivate var excess: Double {
    guard let value, value > 0, target > 0 else { return 0 }
    return direction == .lower ? value / target : target / value
  }
}

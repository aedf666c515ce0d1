import Budgets
public import Storage
public import Telemetry

extension HealthReader {
  /// One app's line of the first page.
  public func summary(_ app: App, now: Timestamp) throws -> AppSummary {
    let scope = try scope(of: app, .init(), now: now)
    guard !scope.inventory.environments.isEmpty else {
      return AppSummary(id: app.bundleID, verdict: nil, budgetError: budgetError)
    }
    let series = try series(scope)
    let report = try report(scope, series: series)
    let results = report.budgets + (try releaseResults(scope, releases: report.releases))
    var counts: [Verdict: Int] = [:]
    for result in results { counts[result.verdict, default: 0] += 1 }
    return AppSummary(
      id: app.bundleID, verdict: Verdict.worst(of: results.map(\.verdict)), verdictCounts: counts,
      crashFree: report.sessions.crashFree,
      crashFreeTrend: Trend.points(scope.steps, series, "sessions.crash_free", .value),
      sessions: report.sessions.total, mainRelease: report.releases.max { ($0.adoption ?? 0) < ($1.adoption ?? 0) },
      window: scope.window, environmentNote: scope.environmentNote, staleDays: scope.staleDays, budgetError: budgetError
    )
  }
}

extension Verdict {
  /// Broken before warning. Without either, what most of them say: an app whose budgets mostly lack data is not within.
  public static func worst(of verdicts: [Verdict]) -> Verdict {
    if let bad = [Verdict.broken, .warning].first(where: verdicts.contains) { return bad }
    return 2 * verdicts.count { $0 == .within } > verdicts.count ? .within : .notEnoughData
  }
}

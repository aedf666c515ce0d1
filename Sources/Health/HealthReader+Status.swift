import Budgets
public import Storage
public import Telemetry

extension HealthReader {
  /// An app's report, with the verdicts on its newest releases and a list of what is broken.
  public func status(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> AppStatus {
    let scope = try scope(of: app, query, now: now)
    let series = try series(scope)
    let report = try report(scope, series: series)
    let releases = query.release == nil ? try releaseResults(scope, releases: report.releases) : []
    let vitals = report.budgets.map { vital($0, scope, series) }
    return AppStatus(
      report: report, vitals: vitals, releaseResults: releases,
      decisions: query.release == nil ? ReleaseDecision.newest(report.releases, releases) : [],
      breakages: try breakages(scope, report, releases, series),
      environments: scope.inventory.environments.keys.sorted(), asOf: now)
  }

  package func vital(_ result: BudgetResult, _ scope: Scope, _ series: [Series]) -> Vital {
    let metric = Catalogue.metric(named: result.metric)
    let statistic = budgets.first { $0.text == result.budget }?.statistic ?? .value
    return Vital(
      title: metric?.title ?? result.metric, result: result,
      trend: Trend.points(scope.steps, series, result.metric, statistic), advice: metric?.advice,
      guide: metric?.guide)
  }
}

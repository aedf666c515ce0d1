import Budgets
public import Storage
public import Telemetry

extension HealthReader {
  /// The checklist of a release: the one that was asked for, else the newest that enough people use.
  public func checklist(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> ReleaseChecklist {
    let asked = ReportQuery(to: query.to, environment: query.environment)
    let scope = try scope(of: app, asked, now: now)
    let releases = try releases(scope)
    let results = try results(of: query.release, scope, releases)
    let release = results.first?.slice.release
    return ReleaseChecklist(
      app: scope.bundleID, release: release, window: results.first?.window ?? scope.window,
      environment: scope.slice.environment, environmentNote: scope.environmentNote,
      items: ReleaseChecklist.Topic.allCases.map { topic in
        .init(topic: topic, results: results.filter { topic.isAbout($0.metric) })
      }, digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  private func results(
    of name: String?, _ scope: Scope, _ releases: [ReleaseReport]
  ) throws -> [BudgetResult] {
    if let name {
      return try releases.first { $0.release.isCalled(name) }
        .map { try lifeResults(of: $0, scope) } ?? []
    }
    let newest = try releaseResults(scope, releases: releases)
    guard let release = newest.first?.slice.release else {
      return try self.results(scope, series: try series(scope))
    }
    return newest.filter { $0.slice.release == release }
  }
}

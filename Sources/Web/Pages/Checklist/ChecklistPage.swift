import Analysis
import Core
import Storage

/// The page with the checklist for releasing a version.
public enum ChecklistPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/checklist"
  public static let navigationTitle: String? = "Checklist"
  public static let filters: [FilterPart] = [.to, .environment, .release]
  public static let endpoints = [
    endpoint(
      .init(
        "getChecklist", "The release checklist",
        "What the data says about each topic of the checklist, for the release that was asked for, else the newest that "
          + "enough people use. CSV has a row for each topic."))
  ]

  public static func load(_ question: AppQuestion) throws -> ReleaseChecklist? {
    try question.health.checklist(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: ReleaseChecklist, _ context: PageContext) -> [UInt8] {
    ChecklistView.render(model, context)
  }

}

extension Page {
  static func checklist(app: String) -> Page { Page(ChecklistPage.self, [app]) }
}

extension HealthReader {
  /// Reads the checklist of the requested release, else of the newest one with enough use.
  func checklist(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> ReleaseChecklist {
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

import Analysis
import Core
import Storage

/// The page about sessions by outcome, and users who crashed.
public enum SessionsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/sessions"
  public static let navigationTitle: String? = "Sessions"
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint(
      .init(
        "getSessions", "Sessions and users", "How sessions ended, day by day and by part. CSV has a row for each day."),
      parameters: [.step, .table])
  ]

  public static func load(_ question: AppQuestion) throws -> SessionsModel? {
    try question.health.sessionPage(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: SessionsModel, _ context: PageContext) -> [UInt8] {
    SessionsView.render(model, context)
  }

}

extension Page {
  static func sessions(app: String) -> Page { Page(SessionsPage.self, [app]) }
}

extension HealthReader {
  /// Reads the model of the sessions page.
  func sessionPage(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> SessionsModel {
    let scope = try scope(of: app, query, now: now)
    let series = try series(scope, metrics: ["sessions", "users"])
    let name = "sessions.crash_free"
    let own = budgets.first { $0.metric == name && !$0.isPerRelease }
    let reader = with(budgets: own.map { [$0] } ?? [])
    return SessionsModel(
      app: scope.bundleID, window: scope.window, slice: scope.slice, environmentNote: scope.environmentNote,
      sessions: Self.sessions(series), users: Self.users(series),
      days: scope.steps.map { step in
        let part = series.compactMap { $0.restricted(to: step) }
        return SessionDay(
          day: step.from, days: step.days, sessions: Self.sessions(part), users: Self.users(part))
      },
      releaseMarkers: markers(scope), budget: try reader.results(scope, series: series).first,
      byRelease: try breakdown(scope, name, .release, own),
      byDeviceClass: try breakdown(scope, name, .deviceClass, own),
      bySystem: try breakdown(scope, name, .os, own), byAttribute: try breakdown(scope, name, .attribute, own),
      burn: try burn(scope, series: series),
      digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }
}

import Analysis
import Core
import Storage

/// The page about the reasons for which iOS ended the app.
public enum ExitsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/exits"
  public static let navigationTitle: String? = "Exits"
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint(
      .init("getExits", "Exits", "Why the system ended the app. CSV has a row for each reason."),
      parameters: [.step, .table])
  ]

  public static func load(_ question: AppQuestion) throws -> ExitsModel? {
    var model = try question.health.exitPage(question.app, question.unlabelled, now: question.now)
    let groups = try question.groups().exitGroups(question.app, question.unlabelled, now: question.now)
    for index in model.rows.indices { model.rows[index].groups = groups[model.rows[index].reason] ?? [] }
    return model
  }

  public static func view(_ model: ExitsModel, _ context: PageContext) -> [UInt8] {
    ExitsView.render(model, context)
  }

}

extension Page {
  static func exits(app: String) -> Page { Page(ExitsPage.self, [app]) }
}

extension HealthReader {
  /// Reads the model of the exits page.
  func exitPage(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> ExitsModel {
    let scope = try scope(of: app, query, now: now)
    let series = try series(scope, metrics: Self.exitMetrics)
    let name = "exits.foreground_abnormal"
    let own = budgets.filter { $0.metric.hasPrefix("exits.") }
    let reader = with(budgets: own.filter { !$0.isPerRelease })
    let terminations = Self.metric(name, series)
    let exits = Self.exits(series)
    let budget = own.first { $0.metric == name }
    return ExitsModel(
      app: scope.bundleID, window: scope.window, slice: scope.slice, environmentNote: scope.environmentNote,
      exits: exits, launches: terminations?.denominator, rows: Self.rows(exits, terminations?.denominator),
      terminations: terminations, trend: Trend.points(scope.steps, series, name, .value),
      releaseMarkers: markers(scope), byRelease: try breakdown(scope, name, .release, budget),
      byDeviceClass: try breakdown(scope, name, .deviceClass, budget),
      byAttribute: try breakdown(scope, name, .attribute, budget),
      budgets: try reader.results(scope, series: series),
      digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  private static let exitMetrics =
    ["exits.foreground_abnormal", "exits.foreground_limits"]
    + ExitReason.allCases.flatMap { ["exits.foreground.\($0.name)", "exits.background.\($0.name)"] }

  private static func rows(_ exits: ExitReport, _ launches: Double?) -> [ExitRow] {
    guard exits.foreground != nil || exits.background != nil else { return [] }
    func rate(_ count: Int?) -> Double? {
      guard let count, let launches, launches > 0 else { return nil }
      return Double(count) / launches * 1000
    }
    return ExitReason.allCases.map { reason in
      let foreground = exits.foreground.map { $0[reason, default: 0] }
      let background = exits.background.map { $0[reason, default: 0] }
      return ExitRow(
        reason: reason, foreground: foreground, background: background, foregroundRate: rate(foreground),
        backgroundRate: rate(background))
    }
  }
}

public import Analysis
public import Core
import Storage

/// The page about the reasons why iOS ended the app.
public enum ExitsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/exits"
  public static let navigationTitle: String? = "Exits"
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint(
      .init("getExits", "Exits", "Why iOS ended the app. CSV has one row per reason."),
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

/// The model of the exits page: why iOS ended the app, in the foreground and in the background.
public struct ExitsModel: Sendable {
  public var app: String
  var window: Window
  var slice: Slice
  var environmentNote: String?
  var exits: ExitReport
  /// Launches and resumes in payloads that count exits; nil if no payload does.
  var launches: Double?
  /// One row for each exit reason, normal exits first.
  public var rows: [ExitRow]
  /// Foreground terminations per 1,000 launches and resumes; nil if no payload counts them.
  var terminations: MetricReport?
  /// The trend of foreground terminations, by day or in longer steps.
  var trend: [TrendPoint] = []
  var releaseMarkers: [ReleaseMarker] = []
  var byRelease: [Breakdown] = []
  var byDeviceClass: [Breakdown] = []
  /// By the values of the app's attribute; empty without one.
  var byAttribute: [Breakdown] = []
  /// The results of budgets on exits.
  var budgets: [BudgetResult] = []
  var digestedThrough: Int64 = 0
  var asOf: Timestamp
}

/// The number of times that iOS ended the app for one reason.
public struct ExitRow: Sendable, Equatable {
  var reason: ExitReason
  /// Exits in the foreground; nil if no payload counts them.
  var foreground: Int?
  var background: Int?
  /// The groups that explain the exits, likeliest first.
  var groups: [ExitGroup] = []
  /// Foreground exits per 1,000 launches and resumes; nil if those are unknown.
  var foregroundRate: Double?
  var backgroundRate: Double?

  init(
    reason: ExitReason, foreground: Int? = nil, background: Int? = nil, foregroundRate: Double? = nil,
    backgroundRate: Double? = nil
  ) {
    self.reason = reason
    self.foreground = foreground
    self.background = background
    self.foregroundRate = foregroundRate
    self.backgroundRate = backgroundRate
  }
}

extension ExitsModel: TableConvertible {
  public static let fields = Fields<Self>("ExitDetail", "The data shown on the exits page.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field.digestedThrough(\.digestedThrough)
    Field("launches", \.launches, "Launches and resumes in the payloads that include exit counts.")
    Field("reasons", \.rows)
    Field("terminations", \.terminations, "Foreground terminations per 1,000 launches and resumes.")
    Field("trend", \.trend)
    Field("release_markers", \.releaseMarkers, "The first day of each release within the window.")
    Field("by_release", \.byRelease)
    Field("by_device_class", \.byDeviceClass)
    Field("by_attribute", \.byAttribute)
    Field("budgets", \.budgets)
  }

  /// One row per reason.
  public static let table = AnswerTable<Self>(\.rows)
  public static let tables: [AnswerTableName: AnswerTable<Self>] = [
    .parts: .parts { exits in
      [("release", exits.byRelease), ("device_class", exits.byDeviceClass), ("attribute", exits.byAttribute)]
    },
    .trend: AnswerTable(\.trend),
  ]
}

extension ExitRow: APIObject {
  public static let fields = Fields<Self>("ExitReason") {
    Field("reason", \.reason.name)
    Field("foreground", \.foreground)
    Field("background", \.background)
    Field("foreground_rate", \.foregroundRate, "Per 1,000 launches and resumes.")
    Field("background_rate", \.backgroundRate)
    Field("groups", \.groups, "The groups of the same release that explain the exits, likeliest first.")
    Field(
      "explained_by", { $0.groups.map(\.id).joined(separator: " ") },
      "The ids of these groups, separated by spaces, for CSV.")
  }
}

extension ExitGroup: APIObject {
  public static let fields = Fields<Self> {
    Field("id", \.id)
    Field("title", \.title)
    Field("kind", \.kind)
    Field(
      "report", \.isReport, "True if its diagnostics report such exits; false for a possible cause.")
    Field("release", \.release, "Of the releases with such exits, the one with most of the group's diagnostics.")
    Field("diagnostics", \.diagnostics)
    Field("exits", \.exits, "Exits with this reason in that release, in the foreground and background.")
  }
}

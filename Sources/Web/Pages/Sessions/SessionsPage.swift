public import Analysis
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
        "getSessions", "Sessions and users", "Session outcomes by day and by part. CSV has one row per day."),
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

/// The model of the page about sessions and users.
public struct SessionsModel: Sendable {
  public var app: String
  var window: Window
  var slice: Slice
  var environmentNote: String?
  public var sessions: SessionReport
  public var users: UserReport
  /// Every day of the window; in a long window, several days together.
  var days: [SessionDay]
  /// First day of each release in the window, oldest first.
  var releaseMarkers: [ReleaseMarker] = []
  /// The result of the first budget on crash-free sessions; nil without one.
  var budget: BudgetResult?
  /// Crash-free sessions by release.
  var byRelease: [Breakdown] = []
  var byDeviceClass: [Breakdown] = []
  var bySystem: [Breakdown] = []
  /// By the values of the app's attribute; empty without one.
  var byAttribute: [Breakdown] = []
  var burn: BurnReport = .init()
  var digestedThrough: Int64 = 0
  var asOf: Timestamp
}

/// The sessions that started on a day, or on several days together. Days without sessions are included.
struct SessionDay: Sendable, Equatable {
  /// The day, or the first of the consecutive days that are added up.
  var day: CalendarDay
  /// The number of days.
  var days: Int = 1
  var sessions: SessionReport = .init()
  var users: UserReport = .init()
}

extension SessionsModel: TableConvertible {
  static let fields = Fields<Self>("SessionDetail", "The data shown on the sessions page.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field.digestedThrough(\.digestedThrough)
    Field("sessions", \.sessions)
    Field("users", \.users)
    Field("days", \.days)
    Field("release_markers", \.releaseMarkers, "The first day of each release within the window.")
    Field("by_release", \.byRelease)
    Field("by_device_class", \.byDeviceClass)
    Field("by_os", \.bySystem)
    Field("by_attribute", \.byAttribute)
    Field("burn", \.burn)
  }

  /// One row per day, or per step of several days.
  public static let table = AnswerTable<Self>(
    \.days,
    without: [
      "sessions.crash_free.n_eff", "sessions.crash_free.basis", "sessions.hang_free", "users.crash_free",
      "users.crash_free_daily",
    ])
  public static let tables: [AnswerTableName: AnswerTable<Self>] = [
    .parts: .parts(\.parts), .courses: .courses(\.parts),
  ]

  private var parts: [(dimension: String, rows: [Breakdown])] {
    [("release", byRelease), ("device_class", byDeviceClass), ("os", bySystem), ("attribute", byAttribute)]
  }
}

extension SessionDay: APIObject {
  public static let fields = Fields<Self>("SessionDay") {
    Field("day", \.day, "The first day.")
    Field("days", \.days, "The number of days in this point.", schema: .integer(from: 1))
    Field("sessions", \.sessions)
    Field("users", \.users)
  }
}

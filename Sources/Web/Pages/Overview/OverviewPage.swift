import Analysis
public import Core
import Storage

/// The first page of the site: all apps.
public enum OverviewPage: PageDefinition {
  public static let path: PathPattern = ""
  public static let file: PathPattern = "index"
  public static let parent: (any PageAddress.Type)? = nil
  public static let endpoints = [
    modelEndpoint(
      .init(
        "listApps", "All apps", "The data shown on the first page.",
        links: ["getReport", "listMetrics", "listReleases", "listBudgets", "getDataQuality", "listDiagnostics"]
          .map { ($0, [("app", "$response.body#/apps/0/app")]) }), at: "apps")
  ]
  public static let wall: (any PageDefinition.Type)? = WallPage.self

  public static func breadcrumb(_ page: Page) -> String { "Apps" }

  public static func load(_ request: PageRequest) throws -> OverviewModel? {
    let source = request.source
    let apps = try source.apps().map { app in
      try source.answer(to: ["summary"], about: app) { try source.health(of: app).summary(app, now: source.now) }
    }
    return OverviewModel(apps: apps, asOf: source.now)
  }

  public static func view(_ model: OverviewModel, _ context: PageContext) -> [UInt8] {
    OverviewView.render(model, context)
  }

}

extension Page {
  static let overview = Page(OverviewPage.self)
}

extension HealthReader {
  /// Reads the summary of one app.
  func summary(_ app: App, now: Timestamp) throws -> AppSummary {
    let status = try status(app, now: now)
    return AppSummary(id: app.bundleID, status: status.staleDays == nil ? nil : status, budgetError: budgetError)
  }
}

/// The model of the first page: every app with its judgement.
public struct OverviewModel: Sendable {
  var apps: [AppSummary]
  /// The time up to which the page includes data.
  var asOf: Timestamp
}

/// The summary of one app on the first page.
public struct AppSummary: Sendable {
  /// The bundle identifier.
  var id: String
  /// The judgement that the app's page shows; nil if nothing was received yet.
  var status: AppStatus?
  /// The error in the app's budget file that prevents verdicts; nil without an error.
  var budgetError: String?

  /// The verdict on all budgets together; nil if nothing was received yet.
  var verdict: Verdict? { status?.judgement.verdict }
}

extension OverviewModel: APIObject {
  public static let fields = Fields<Self>("Overview") {
    Field.version(HealthReport.schema)
    Field("apps", \.apps)
  }
}

extension AppSummary: APIObject {
  public static let fields = Fields<Self>("AppSummary") {
    Field.app(\.id)
    Field(
      "verdict", \.verdict,
      "`broken` if any budget is broken, else `warning` if any is at warning level, else the most common verdict. Null "
        + "before the first payload.")
    Field("verdict_counts", { VerdictTally(counts: $0.judgement?.counts ?? [:]) })
    Field("advice", \.judgement?.advice, "The rollout advice; null before the first payload.")
    Field("release", { $0.judgement?.release }, "The judged release; null for the whole app.")
    Field("previous", { $0.judgement?.previous?.release.title }, "The previous release.")
    Field("sessions", { $0.status?.sessions ?? 0 }, "Sessions of all releases in the window of the app's page.")
    Field("crash_free", \.crashFreeShare, "Crash-free sessions of the judged release.")
    Field("crash_free_trend", { $0.judgement?.crashFree?.trend ?? [] })
    Field(
      "main_release", { $0.status?.releases.max { ($0.adoption ?? 0) < ($1.adoption ?? 0) } },
      "The release with the highest adoption.")
    Field("window", \.judgement?.window, "The days that the verdicts cover.")
    Field.staleDays { $0.status?.staleDays }
    Field("budget_error", \.budgetError, "The error in the app's budget file; nothing is judged until it is fixed.")
  }

  private var judgement: Judgement? { status?.judgement }

  /// The share of crash-free sessions of the judged release or app.
  private var crashFreeShare: RatioEstimate {
    guard let result = judgement?.crashFree?.result else { return RatioEstimate() }
    return RatioEstimate(estimate: result.estimate, n: result.n, nEffective: nil, basis: result.basis)
  }
}

private struct VerdictTally: APIObject {
  let counts: [Verdict: Int]

  static let fields = Fields<Self> {
    Verdict.allCases.map { verdict in Field(verdict.rawValue) { $0.counts[verdict] ?? 0 } }
  }
}

extension Judgement {
  /// The budget on crash-free sessions; nil without sessions.
  var crashFree: JudgedBudget? { budget(on: "sessions.crash_free") }
}

extension AppStatus {
  /// The number of sessions of all releases on the days of the page.
  var sessions: Int { releases.reduce(0) { $0.saturatingAdd($1.sessions) } }
}

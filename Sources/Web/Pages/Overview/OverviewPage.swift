import Analysis
import Core
import Storage

/// The first page of the site: all apps.
public enum OverviewPage: PageDefinition {
  public static let path: PathPattern = ""
  public static let file: PathPattern = "index"
  public static let parent: (any PageAddress.Type)? = nil
  public static let endpoints = [
    modelEndpoint(
      .init(
        "listApps", "Every app", "What the first page shows.",
        links: ["getReport", "listMetrics", "listReleases", "listBudgets", "getDataQuality", "listDiagnostics"]
          .map { ($0, [("app", "$response.body#/apps/0/app")]) }), at: "apps")
  ]
  public static let wall: (any PageDefinition.Type)? = WallPage.self

  public static func breadcrumb(_ page: Page) -> String { "Apps" }

  public static func load(_ request: PageRequest) throws -> OverviewModel? {
    let source = request.source
    let apps = try source.apps().map { app in
      try source.summary(of: app) { try source.health(of: app).summary(app, now: source.now) }
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

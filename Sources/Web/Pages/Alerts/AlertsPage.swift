/// The page that lists open and past incidents of all apps.
public enum AlertsPage: PageDefinition {
  public static let path: PathPattern = "alerts"
  public static let endpoints = [
    modelEndpoint(.init("listAlerts", "What is broken in any app, and what was", "What the page of alerts shows."))
  ]

  public static func breadcrumb(_ page: Page) -> String { "Alerts" }

  public static func load(_ request: PageRequest) throws -> AlertList? {
    try AlertList.read(request.source, app: nil)
  }

  public static func view(_ model: AlertList, _ context: PageContext) -> [UInt8] { AlertsView.render(model, context) }

  public static func linkedPages(_ model: AlertList, _ request: PageRequest) throws -> [Page] { model.linkedPages }
}

/// The page that lists open and past incidents of one app. It has no filters.
public enum AppAlertsPage: PageDefinition {
  public static let path: PathPattern = "apps/{app}/alerts"
  public static let parent: (any PageAddress.Type)? = AppPage.self
  public static let navigationTitle: String? = "Alerts"
  public static let endpoints = [
    modelEndpoint(.init("listAlertsOfApp", "What is broken in an app, and what was", "What the page of alerts shows."))
  ]

  public static func load(_ request: PageRequest) throws -> AlertList? {
    guard let app = try request.source.app(request.arguments[0]) else { return nil }
    return try AlertList.read(request.source, app: app)
  }

  public static func view(_ model: AlertList, _ context: PageContext) -> [UInt8] { AlertsView.render(model, context) }

  public static func linkedPages(_ model: AlertList, _ request: PageRequest) throws -> [Page] { model.linkedPages }
}

extension Page {
  /// The alerts of `app`; of all apps if it is nil.
  public static func alerts(app: String?) -> Page {
    app.map { Page(AppAlertsPage.self, [$0]) } ?? Page(AlertsPage.self)
  }
}

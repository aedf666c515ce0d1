import Pages
import HTTP
import Health
import Storage
import Telemetry

/// Addresses → pages and API answers.
struct PageRoutes {
  private let context: ServerContext
  private let page: PageContext

  /// What an address answers with.
  struct Content {
    let type: String
    /// Makes the bytes from what was read. Called once, when nothing is being read any more.
    let render: () -> [UInt8]
    /// May be kept for a while; false for a page that waits for something.
    var isLasting = true
    /// Shows keys.
    var holdsSecrets = false

    static func html(_ render: @escaping @autoclosure () -> [UInt8]) -> Content {
      Content(type: "text/html; charset=utf-8", render: render)
    }
    static func json(_ render: @escaping @autoclosure () -> [UInt8]) -> Content {
      Content(type: "application/json", render: render)
    }
    /// JSON that is read anew each time.
    static func fresh(_ render: @escaping @autoclosure () -> [UInt8]) -> Content {
      Content(type: "application/json", render: render, isLasting: false)
    }
  }

  init(_ context: ServerContext, isSignedIn: Bool) {
    self.context = context
    page = PageContext(isSignedIn: isSignedIn, serverURL: context.settings.publicURL)
  }

  /// Nil when there is nothing at the address.
  func content(of request: RequestSnapshot, at now: Timestamp) throws -> Content? {
    let parts = request.segments
    switch (parts.count, parts.first) {
    case (0, _): return try overview(at: now)
    case (1, "alerts"):
      let alerts = try AlertList.read(context.control, app: nil, now: now)
      return .html(AlertsPageView.render(alerts, page))
    case (3, "apps") where parts[2] == "alerts":
      guard let app = try context.control.app(bundleID: parts[1]) else { return nil }
      let alerts = try AlertList.read(context.control, app: app, now: now)
      return .html(AlertsPageView.render(alerts, page))
    case (2..., "apps"):
      guard let app = try context.control.app(bundleID: parts[1]) else { return nil }
      let question = try AppQuestion(app, request, now: now, try context.health(app), try context.groups(app))
      return try AppRoutes(question, page).content(Array(parts[2...]), request)
    case (1, "guides"): return .html(GuidesPageView.render(page))
    case (2, "guides"): return GuidePageView.render(parts[1], page).map { .html($0) }
    case (_, "api"): return try APIRoutes(context: context).content(of: request, at: now)
    default: return nil
    }
  }

  private func overview(at now: Timestamp) throws -> Content {
    let apps = try context.control.apps().map { try context.health($0).summary($0, now: now) }
    return .html(OverviewPageView.render(Overview(apps: apps, asOf: now), page))
  }
}

/// What is asked of one app.
struct AppQuestion {
  let app: App
  let query: ReportQuery
  let health: HealthReader
  let groups: GroupReader
  let now: Timestamp

  init(_ app: App, _ request: RequestSnapshot, now: Timestamp, _ health: HealthReader, _ groups: GroupReader) throws {
    self.app = app
    self.health = health
    self.groups = groups
    self.now = now
    query = try ReportQuery(parameter: request.query)
  }

  /// Of all that may be asked only the environment, as on the page of a release.
  var environmentOnly: ReportQuery { ReportQuery(environment: query.environment) }

  /// Without the label, which narrows one metric only.
  var unlabelled: ReportQuery {
    var query = query
    query.label = nil
    return query
  }
}

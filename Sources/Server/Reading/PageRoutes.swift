import Dashboard
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
    let body: [UInt8]

    static func html(_ body: [UInt8]) -> Content { Content(type: "text/html; charset=utf-8", body: body) }
    static func json(_ body: [UInt8]) -> Content { Content(type: "application/json", body: body) }
  }

  init(_ context: ServerContext, isSignedIn: Bool) {
    self.context = context
    page = PageContext(isSignedIn: isSignedIn, serverURL: context.settings.publicURL)
  }

  /// Nil when there is nothing at the address.
  func content(of request: RequestSnapshot, at now: Timestamp) throws -> Content? {
    let parts = request.segments
    switch (parts.count, parts.first) {
    case (0, _): return .html(try overview(at: now))
    case (1, "alerts"):
      return .html(AlertsPageView.render(try AlertList.read(context.control, app: nil, now: now), page))
    case (2, "apps"): return try app(parts[1], request, at: now)
    case (4, "apps") where parts[2] == "metrics": return try metric(parts[3], of: parts[1], request, at: now)
    case (3, "apps"): return try subpage(parts[2], of: parts[1], request, at: now)
    case (_, "api"): return try APIRoutes(context: context).content(of: request, at: now)
    default: return nil
    }
  }

  private func overview(at now: Timestamp) throws -> [UInt8] {
    let apps = try context.control.apps().map { try context.health($0).summary($0, now: now) }
    return OverviewPageView.render(Overview(apps: apps, asOf: now), page)
  }

  private func app(_ id: String, _ request: RequestSnapshot, at now: Timestamp) throws -> Content? {
    guard let app = try context.control.app(bundleID: id) else { return nil }
    let query = try ReportQuery(parameter: request.query)
    return .html(AppPageView.render(try context.health(app).appPage(app, query, now: now), page))
  }

  private func metric(
    _ name: String, of id: String, _ request: RequestSnapshot, at now: Timestamp
  ) throws -> Content? {
    guard let app = try context.control.app(bundleID: id) else { return nil }
    let query = try ReportQuery(parameter: request.query)
    guard let model = try context.health(app).metricPage(app, metric: name, query, now: now) else { return nil }
    return .html(MetricPageView.render(model, page))
  }

  private func subpage(
    _ name: String, of id: String, _ request: RequestSnapshot, at now: Timestamp
  ) throws -> Content? {
    guard let app = try context.control.app(bundleID: id) else { return nil }
    let health = try context.health(app)
    switch name {
    case "data-quality":
      let quality = try health.dataQuality(app, try ReportQuery(parameter: request.query), now: now)
      return .html(DataQualityPageView.render(quality, page))
    case "compare":
      return .html(ComparePageView.render(try ComparisonRequest(request).comparison(of: app, health, at: now), page))
    case "alerts": return .html(AlertsPageView.render(try AlertList.read(context.control, app: app, now: now), page))
    case "diagnostics": return .html(DiagnosticsPageView.render(try health.diagnostics(app), page))
    default: return nil
    }
  }
}

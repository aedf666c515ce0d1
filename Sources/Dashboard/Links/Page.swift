/// Every address of the dashboard, in one place.
public enum Page: Hashable, Sendable {
  case overview
  case app(String)
  case metric(app: String, name: String)
  /// The numbers of an app's page as JSON.
  case report(app: String)
  /// What became of everything that was sent.
  case dataQuality(app: String)
  /// The same as JSON.
  case dataQualityReport(app: String)
  /// Crashes, hangs and the like, one by one.
  case diagnostics(app: String)
  /// The same as JSON.
  case diagnosticList(app: String)
  /// One of them as the client sent it.
  case diagnosticBody(app: String, number: Int64)
  /// Two releases side by side.
  case compare(app: String, base: String, head: String)
  /// The same as JSON.
  case comparison(app: String, base: String, head: String)
  /// What is broken, and what was: of an app, or of all.
  case alerts(app: String?)
  /// The same as JSON.
  case alertList(app: String?)
  case login
  case logout

  /// Where the server answers: `/apps/com.example.shop/metrics/launch.first_draw`.
  public var path: String {
    switch self {
    case .overview: "/"
    case .app(let id): "/apps/\(PathEncoding.percent(id))"
    case .metric(let app, let name): "/apps/\(PathEncoding.percent(app))/metrics/\(PathEncoding.percent(name))"
    case .report(let app): "/api/v1/apps/\(PathEncoding.percent(app))/report"
    case .dataQuality(let app): "/apps/\(PathEncoding.percent(app))/data-quality"
    case .dataQualityReport(let app): "/api/v1/apps/\(PathEncoding.percent(app))/data-quality"
    case .diagnostics(let app): "/apps/\(PathEncoding.percent(app))/diagnostics"
    case .diagnosticList(let app): "/api/v1/apps/\(PathEncoding.percent(app))/diagnostics"
    case .diagnosticBody(let app, let number): "/api/v1/apps/\(PathEncoding.percent(app))/diagnostics/\(number)"
    case .compare(let app, let base, let head):
      "/apps/\(PathEncoding.percent(app))/compare?\(Self.releases(base, head))"
    case .comparison(let app, let base, let head):
      "/api/v1/apps/\(PathEncoding.percent(app))/compare?\(Self.releases(base, head))"
    case .alerts(let app): (app.map { "/apps/\(PathEncoding.percent($0))" } ?? "") + "/alerts"
    case .alertList(let app): "/api/v1" + (app.map { "/apps/\(PathEncoding.percent($0))" } ?? "") + "/alerts"
    case .login: "/login"
    case .logout: "/logout"
    }
  }

  /// Where a static export keeps it, below its root: `apps/com.example.shop/metrics/launch.first_draw.html`.
  ///
  /// Two pages never share a name, on file systems that ignore case either. A name holds only `a–z 0–9 . - _ /`.
  public var fileName: String {
    switch self {
    case .overview: "index.html"
    case .app(let id): "apps/\(PathEncoding.file(id))/index.html"
    case .metric(let app, let name): "apps/\(PathEncoding.file(app))/metrics/\(PathEncoding.file(name)).html"
    case .report(let app): "apps/\(PathEncoding.file(app))/report.json"
    case .dataQuality(let app): "apps/\(PathEncoding.file(app))/data-quality.html"
    case .dataQualityReport(let app): "apps/\(PathEncoding.file(app))/data-quality.json"
    case .diagnostics(let app): "apps/\(PathEncoding.file(app))/diagnostics.html"
    case .diagnosticList(let app): "apps/\(PathEncoding.file(app))/diagnostics.json"
    case .diagnosticBody(let app, let number): "apps/\(PathEncoding.file(app))/diagnostics/\(number).json"
    case .compare(let app, let base, let head):
      "apps/\(PathEncoding.file(app))/compare/\(PathEncoding.file(base))/\(PathEncoding.file(head)).html"
    case .comparison(let app, let base, let head):
      "apps/\(PathEncoding.file(app))/compare/\(PathEncoding.file(base))/\(PathEncoding.file(head)).json"
    case .alerts(let app): (app.map { "apps/\(PathEncoding.file($0))/" } ?? "") + "alerts.html"
    case .alertList(let app): (app.map { "apps/\(PathEncoding.file($0))/" } ?? "") + "alerts.json"
    case .login: "login.html"
    case .logout: "logout.html"
    }
  }

  private static func releases(_ base: String, _ head: String) -> String {
    "base=\(PathEncoding.percent(base))&head=\(PathEncoding.percent(head))"
  }
}

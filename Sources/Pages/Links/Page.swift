public import Health

/// Every address of the dashboard, in one place.
public indirect enum Page: Hashable, Sendable {
  case overview
  case app(String)
  /// One release over its life: a version, or version and build.
  case release(app: String, name: String)
  case metric(app: String, name: String)
  /// How sessions ended, and how many users crashed.
  case sessions(app: String)
  /// Why iOS ended the app.
  case exits(app: String)
  /// Every budget with its verdict on each part of the data.
  case budgets(app: String)
  /// What to look at before a release goes out.
  case checklist(app: String)
  /// How an app sends its payloads.
  case setup(app: String)
  /// What became of everything that was sent.
  case dataQuality(app: String)
  /// Crashes, hangs and the like by what caused them; all kinds, or those of one.
  case groups(app: String, kind: String?)
  /// One of these groups.
  case group(app: String, id: String)
  /// What a function of its call tree called.
  case groupFocus(app: String, id: String, node: String)
  /// Crashes, hangs and the like, one by one.
  case diagnostics(app: String)
  /// One of them as the client sent it.
  case diagnosticBody(app: String, number: Int64)
  /// The newest release beside the one before.
  case newest(app: String)
  /// Two releases side by side.
  case compare(app: String, base: String, head: String)
  /// What is broken for certain, and what was: of an app, or of all.
  case alerts(app: String?)
  /// What is known about mending each family of metrics.
  case guides
  case guide(String)
  /// What a page shows, as data.
  case data(of: Page, DataFormat)
  /// What one chart or table of a page shows, as CSV.
  case table(of: Page, DataTable)
  case login
  case logout

  /// How numbers leave.
  public enum DataFormat: String, Sendable {
    case json
    case csv
  }

  /// The app a page is about; nil for pages of no app.
  public var app: String? {
    switch self {
    case .overview, .guides, .guide, .login, .logout: nil
    case .app(let app), .release(let app, _), .metric(let app, _), .sessions(let app), .exits(let app),
      .budgets(let app), .checklist(let app), .setup(let app), .dataQuality(let app), .diagnostics(let app),
      .groups(let app, _), .group(let app, _), .groupFocus(let app, _, _), .diagnosticBody(let app, _),
      .newest(let app), .compare(let app, _, _):
      app
    case .alerts(let app): app
    case .data(let page, _), .table(let page, _): page.app
    }
  }
}

import Health

extension Page {
  /// Where the server answers: `/apps/com.example.shop/metrics/launch.first_draw`.
  public var path: String {
    switch self {
    case .overview: "/"
    case .alerts(nil): "/alerts"
    case .guides: "/guides"
    case .guide(let family): "/guides/\(PathEncoding.percent(family))"
    case .login: "/login"
    case .logout: "/logout"
    case .data(let page, let format): page.dataPath(format)
    case .table(let page, let table): "\(page.dataPath(.csv))&table=\(table.rawValue)"
    default: "/" + ownPath
    }
  }

  /// Below the app; empty for the app's own page.
  private var ownPath: String {
    guard let app else { return "" }
    let root = "apps/" + PathEncoding.percent(app)
    switch self {
    case .release(_, let name): return "\(root)/releases/\(PathEncoding.percent(name))"
    case .metric(_, let name): return "\(root)/metrics/\(PathEncoding.percent(name))"
    case .diagnosticBody(_, let number): return "api/v1/\(root)/diagnostics/\(number)"
    case .groups(_, let kind): return root + "/groups" + (kind.map { "?kind=\(PathEncoding.percent($0))" } ?? "")
    case .group(_, let id): return "\(root)/groups/\(PathEncoding.percent(id))"
    case .groupFocus(_, let id, let node):
      return "\(root)/groups/\(PathEncoding.percent(id))?focus=\(PathEncoding.percent(node))"
    case .compare(_, let base, let head):
      return "\(root)/compare?base=\(PathEncoding.percent(base))&head=\(PathEncoding.percent(head))"
    default: return section.map { "\(root)/\($0)" } ?? root
    }
  }

  /// The last part of the address of a page that every app has once.
  private var section: String? {
    switch self {
    case .sessions: "sessions"
    case .exits: "exits"
    case .budgets: "budgets"
    case .checklist: "checklist"
    case .setup: "setup"
    case .dataQuality: "data-quality"
    case .diagnostics: "diagnostics"
    case .newest: "compare"
    case .alerts: "alerts"
    default: nil
    }
  }

  /// The API has the address of the page below `/api/v1`, but for four.
  private func dataPath(_ format: DataFormat) -> String {
    let path =
      switch self {
      case .overview: "/api/v1/apps"
      case .alerts(nil): "/api/v1/alerts"
      case .app: "/api/v1/\(ownPath)/report"
      case .budgets: "/api/v1/\(ownPath)/slices"
      case .groupFocus(let app, let id, _): Page.group(app: app, id: id).dataPath(.json)
      default: "/api/v1/\(ownPath)"
      }
    guard format == .csv else { return path }
    return path + (path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "format=csv"
  }

  /// Where a static export keeps it, below its root: `apps/com.example.shop/metrics/launch.first_draw.html`.
  ///
  /// Two pages never share a name, on file systems that ignore case either. A name holds only `a–z 0–9 . - _ /`.
  public var fileName: String {
    if case .data(let page, let format) = self { return "\(page.stem).\(format.rawValue)" }
    if case .table(let page, let table) = self { return "\(page.stem).\(table.rawValue).csv" }
    if case .diagnosticBody = self { return stem + ".json" }
    return stem + ".html"
  }

  /// The file's name without its ending.
  private var stem: String {
    switch self {
    case .overview: "index"
    case .alerts(nil): "alerts"
    case .guides: "guides/index"
    case .guide(let family): "guides/\(PathEncoding.file(family))"
    case .login: "login"
    case .logout: "logout"
    case .data(let page, _), .table(let page, _): page.stem
    default: ownStem
    }
  }

  private var ownStem: String {
    guard let app else { return "index" }
    let root = "apps/" + PathEncoding.file(app)
    switch self {
    case .release(_, let name): return "\(root)/releases/\(PathEncoding.file(name))"
    case .metric(_, let name): return "\(root)/metrics/\(PathEncoding.file(name))"
    case .diagnosticBody(_, let number): return "\(root)/diagnostics/\(number)"
    case .groups: return "\(root)/groups"
    case .group(_, let id), .groupFocus(_, let id, _): return "\(root)/groups/\(PathEncoding.file(id))"
    case .compare(_, let base, let head):
      return "\(root)/compare/\(PathEncoding.file(base))/\(PathEncoding.file(head))"
    default: return "\(root)/\(section ?? "index")"
    }
  }
}

/// What an address below `/api/v1` asks for.
enum APIAddress: Equatable {
  case apps
  case report(app: String)
  case metrics(app: String)
  case metric(app: String, name: String)
  case releases(app: String)
  case release(app: String, name: String)
  case breakages(app: String)
  case sessions(app: String)
  case exits(app: String)
  case budgets(app: String)
  case budgetSlices(app: String)
  case checklist(app: String)
  case setup(app: String)
  case compare(app: String)
  case dataQuality(app: String)
  case diagnostics(app: String)
  case diagnostic(app: String, number: String)
  case groups(app: String)
  case group(app: String, id: String)
  case impact(app: String, release: String)
  /// Of one app, or of all.
  case alerts(app: String?)
  /// Those that are kept, or what is missing for one app.
  case symbols(app: String?)

  /// Nil when there is nothing at the address. `segments` are all of the path's, `api` and `v1` included.
  init?(_ segments: [String]) {
    guard segments.count >= 3, segments[0] == "api", segments[1] == "v1" else { return nil }
    if segments.count == 3, segments[2] == "alerts" {
      self = .alerts(app: nil)
      return
    }
    if segments.count == 3, segments[2] == "symbols" {
      self = .symbols(app: nil)
      return
    }
    guard segments[2] == "apps" else { return nil }
    if segments.count == 3 {
      self = .apps
      return
    }
    guard let address = Self.of(segments[3], Array(segments[4...])) else { return nil }
    self = address
  }

  private static func of(_ app: String, _ rest: [String]) -> Self? {
    switch (rest.first, rest.count) {
    case ("report", 1): .report(app: app)
    case ("metrics", 1): .metrics(app: app)
    case ("metrics", 2): .metric(app: app, name: rest[1])
    case ("releases", 1): .releases(app: app)
    case ("releases", 2): .release(app: app, name: rest[1])
    case ("breakages", 1): .breakages(app: app)
    case ("sessions", 1): .sessions(app: app)
    case ("exits", 1): .exits(app: app)
    case ("budgets", 1): .budgets(app: app)
    case ("budgets", 2) where rest[1] == "slices": .budgetSlices(app: app)
    case ("checklist", 1): .checklist(app: app)
    case ("setup", 1): .setup(app: app)
    case ("compare", 1): .compare(app: app)
    case ("data-quality", 1): .dataQuality(app: app)
    case ("groups", 1): .groups(app: app)
    case ("groups", 2): .group(app: app, id: rest[1])
    case ("releases", 3) where rest[2] == "impact": .impact(app: app, release: rest[1])
    case ("diagnostics", 1): .diagnostics(app: app)
    case ("diagnostics", 2): .diagnostic(app: app, number: rest[1])
    case ("alerts", 1): .alerts(app: app)
    case ("symbols", 1): .symbols(app: app)
    default: nil
    }
  }

  /// Whether the address also answers as a table, in CSV.
  var hasTable: Bool {
    switch self {
    case .apps, .report, .diagnostic, .setup, .alerts, .impact, .symbols: false
    case .metrics, .metric, .releases, .release, .compare, .breakages, .sessions, .exits, .budgets, .budgetSlices,
      .checklist, .dataQuality, .diagnostics, .groups, .group:
      true
    }
  }

  /// The query parameters the address knows, as `openapi.json` lists them.
  var parameters: [String] {
    let window = ["from", "to"]
    let slice = window + ["environment", "release", "os", "device", "device_class"]
    let own =
      switch self {
      case .apps, .diagnostic, .setup, .alerts, .symbols: [String]()
      case .report, .metrics, .releases, .breakages, .budgets, .budgetSlices: slice
      case .sessions, .exits: slice + ["step", "table"]
      case .group: slice
      case .groups: slice + ["kind", "limit"]
      case .impact: window + ["environment"]
      case .release: ["environment"]
      case .checklist: ["to", "environment", "release"]
      case .metric: slice + ["label", "step", "table"]
      case .compare: ["base", "head"] + window + ["environment"]
      case .dataQuality: window
      case .diagnostics: ["kind", "before", "limit"]
      }
    return hasTable ? own + ["format"] : own
  }
}

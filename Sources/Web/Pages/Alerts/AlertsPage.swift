import Analysis
public import Core
internal import Storage

/// The page that lists open and past incidents of all apps.
public enum AlertsPage: PageDefinition {
  public static let path: PathPattern = "alerts"
  public static let endpoints = [
    modelEndpoint(.init("listAlerts", "Open and past incidents of all apps", "The data shown on the alerts page."))
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
    modelEndpoint(
      .init("listAlertsOfApp", "Open and past incidents of an app", "The data shown on the app's alerts page."))
  ]

  public static func load(_ request: PageRequest) throws -> AlertList? {
    guard let app = try request.source.app(request.arguments[0]) else { return nil }
    return try AlertList.read(request.source, app: app)
  }

  public static func view(_ model: AlertList, _ context: PageContext) -> [UInt8] { AlertsView.render(model, context) }

  public static func linkedPages(_ model: AlertList, _ request: PageRequest) throws -> [Page] { model.linkedPages }
}

extension Page {
  /// The alerts page of `app`, or of all apps if `app` is nil.
  public static func alerts(app: String?) -> Page {
    app.map { Page(AppAlertsPage.self, [$0]) } ?? Page(AlertsPage.self)
  }
}

/// The model of the alerts page: open and past incidents, each with its app.
public struct AlertList: Sendable {
  /// The bundle identifier; nil for all apps.
  var app: String?
  /// Open incidents: critical ones first, then newest first.
  var open: [Entry]
  /// Incidents that ended in the last 90 days, newest first, at most 200.
  var past: [Entry]
  /// The silences that have not ended, of this app or of every app with an open incident.
  var silences: [Silence] = []
  var asOf: Timestamp

  init(app: String?, open: [Entry], past: [Entry], asOf: Timestamp) {
    self.app = app
    self.open = open
    self.past = past
    self.asOf = asOf
  }

  /// An incident and its app; `app` is nil for incidents that concern all apps.
  struct Entry: Sendable {
    var app: String?
    var incident: Incident
    /// The page that shows what broke: a group, a metric, the budgets or data quality; nil if there is none.
    var page: Page?
    /// The delivery state of its last message, by channel.
    var deliveries: [String: DeliveryState] = [:]
  }

  private static func worstFirst(_ entries: [Entry]) -> [Entry] {
    let order = { (entry: Entry) in Severity.allCases.firstIndex(of: entry.incident.severity) ?? 0 }
    return entries.enumerated().sorted { (-order($0.element), $0.offset) < (-order($1.element), $1.offset) }
      .map(\.element)
  }

  /// The age up to which past incidents are shown, in milliseconds.
  private static let memory: Int64 = 90 * 86_400_000
  private static let most = 200

  /// Reads the incidents of `app`, or of all apps if `app` is nil. Both include incidents that concern all apps.
  static func read(_ source: any PageSource, app: App?) throws -> AlertList {
    let since = Timestamp(milliseconds: source.now.milliseconds - memory)
    let apps = Dictionary(try source.apps().map { ($0.id, $0) }) { first, _ in first }
    let found = try source.incidents(closedAfter: since).filter {
      app == nil || $0.app == app?.id || $0.app == Incident.folder
    }
    let deliveries = try source.deliveries()
    let open = try found.filter { $0.closed == nil }.map { incident in
      Entry(
        app: apps[incident.app]?.bundleID, incident: incident, page: try page(of: incident, apps[incident.app], source),
        deliveries: deliveries[incident.id] ?? [:])
    }
    let past = found.filter { $0.closed != nil }.prefix(most)
      .map { Entry(app: apps[$0.app]?.bundleID, incident: $0) }
    var list = AlertList(app: app?.bundleID, open: worstFirst(open), past: past, asOf: source.now)
    let asked = app.map { [$0] } ?? Set(open.map(\.incident.app)).sorted().compactMap { apps[$0] }
    var known: Set<Int64> = []
    list.silences = try asked.flatMap(source.silences(of:)).filter { known.insert($0.id).inserted }
    return list
  }

  /// The page that shows the most important breach of an incident, or the list of groups if its group no longer exists.
  private static func page(of incident: Incident, _ app: App?, _ source: any PageSource) throws -> Page? {
    guard let app, let key = incident.lead?.key else { return nil }
    if let group = key.group {
      let isKnown = try source.groups(of: app).group(app, named: group, now: source.now) != nil
      return isKnown ? .group(app: app.bundleID, id: group) : .groups(app: app.bundleID, kind: nil)
    }
    if let metric = key.metric { return .metric(app: app.bundleID, name: metric) }
    return key.rule == .evaluation ? .budgets(app: app.bundleID) : .dataQuality(app: app.bundleID)
  }

  /// The pages that the open incidents link to.
  var linkedPages: [Page] { open.compactMap(\.page) }

  /// The silence that covers every open breach of an incident now, the one that ends last; nil if there is none.
  func silence(of incident: Incident) -> Silence? {
    silences.filter { silence in incident.open.allSatisfy { silence.covers($0, of: incident, at: asOf) } }
      .max { $0.ends < $1.ends }
  }
}

extension AlertList: APIObject {
  public static let fields = Fields<Self>("AlertList", "The data shown on the alerts page.") {
    Field.version(HealthReport.schema)
    Field("app", \.app, "The bundle identifier; null for all apps.")
    Field("open", { $0.open.map(\.answer) }, "Critical incidents first, then newest first.")
    Field(
      "past", { $0.past.map(\.answer) }, "Incidents that ended in the last 90 days, newest first, at most \(most).")
  }
}

extension AlertList.Entry {
  fileprivate var answer: AppIncident { AppIncident(app: app, incident: incident) }
}

extension PageSource {
  /// An app's silences; nil if there is no such app.
  func silences(ofApp bundleID: String) throws -> SilenceList? {
    try app(bundleID).map { SilenceList(silences: try silences(of: $0)) }
  }
}

public import Analysis
public import Core
public import Storage

/// The source that pages read from. `HealthReader` and `GroupReader` hide their stores, so that pages cannot use them.
public protocol PageSource {
  /// The time of the request.
  var now: Timestamp { get }
  /// The apps that the client may read.
  func apps() throws -> [App]
  /// The app with a bundle identifier; nil if there is none that the client may read.
  func app(_ bundleID: String) throws -> App?
  func health(of app: App) throws -> HealthReader
  func groups(of app: App) throws -> GroupReader
  /// The incidents of all apps that are open, or were closed after a time.
  func incidents(closedAfter time: Timestamp) throws -> [Incident]
  /// The open incidents of one app.
  func openIncidents(of app: App) throws -> [Incident]
  /// The silences of an app's alerts that have not ended, including silences of all apps.
  func silences(of app: App) throws -> [Silence]
  /// The delivery state of the last message about each incident, by incident and channel.
  func deliveries() throws -> [String: [String: DeliveryState]]
  /// An app's summary for the first page: a cached one that is still current, or else the result of `read`.
  func summary(of app: App, _ read: () throws -> AppSummary) throws -> AppSummary
  /// The health of the server; nil for a static export.
  func serverStatus() throws -> ServerStatus?
  /// An app's numbers from App Store Connect.
  func appStoreFigures(of app: App) throws -> [AppStoreFigure]
  /// The bytes of an app's icon, a PNG; nil without one.
  func icon(of app: App) throws -> [UInt8]?
  /// The body of a diagnostic as the client sent it.
  func body(of sample: StoredSample) throws -> [UInt8]
}

/// A request for a page or its data.
public struct PageRequest {
  let source: any PageSource
  /// The values of the placeholders in the page's path.
  let arguments: [String]
  /// Whether the page is for a static export, which must contain every page that another one links to.
  let isExport: Bool
  private let parameters: (String) -> String?

  public init(
    _ source: any PageSource, arguments: [String], isExport: Bool = false,
    parameters: @escaping (String) -> String? = { _ in nil }
  ) {
    self.source = source
    self.arguments = arguments
    self.isExport = isExport
    self.parameters = parameters
  }

  /// The value of a query parameter.
  func parameter(_ name: String) -> String? { parameters(name) }

  /// The value of a query parameter that must be an integer from 1 to `most`.
  func number(_ name: String, atMost most: Int64) throws(InvalidQuery) -> Int64? {
    guard let text = parameter(name) else { return nil }
    guard let number = Int64(text), (1...most).contains(number) else {
      throw InvalidQuery(
        detail: "\(name): expected a whole number from 1 to \(most), found \"\(text)\"", parameter: name)
    }
    return number
  }

  /// The parameter `kind`; nil without it.
  func diagnosticKind() throws(InvalidQuery) -> DiagnosticKind? {
    guard let name = parameter("kind") else { return nil }
    guard let kind = DiagnosticKind(name: name) else {
      let names = DiagnosticKind.allCases.map(\.name).joined(separator: ", ")
      throw InvalidQuery(detail: "kind: expected one of \(names), found \"\(name)\"", parameter: "kind")
    }
    return kind
  }
}

/// A request about one app.
public struct AppQuestion {
  let request: PageRequest
  let app: App
  let query: ReportQuery
  let health: HealthReader
  /// The values that filters offer; nil unless the page has a filter form.
  var choices: FilterChoices?

  /// Finds the app of the request; nil if there is none with the bundle identifier in the first argument.
  init?(_ request: PageRequest) throws {
    let query = try ReportQuery(parameter: request.parameter)
    guard let name = request.arguments.first, let app = try request.source.app(name) else { return nil }
    self.request = request
    self.app = app
    self.query = query
    health = try request.source.health(of: app)
  }

  var now: Timestamp { request.source.now }

  func groups() throws -> GroupReader { try request.source.groups(of: app) }

  /// The last argument: the release, metric or group of the page.
  var name: String { request.arguments.last ?? "" }

  /// The query reduced to its environment, as for the page of a release.
  var environmentOnly: ReportQuery { ReportQuery(environment: query.environment) }

  /// The query without a label, which applies to one metric only.
  var unlabelled: ReportQuery {
    var query = query
    query.label = nil
    return query
  }
}

extension PageSource {
  /// The verdicts and numbers of the apps in Prometheus' text format; nil if there is no such app. `only`: the bundle
  /// identifier of a single app, which adds every metric of its report; nil for all apps that the client may read.
  func prometheus(only: String? = nil) throws -> [UInt8]? {
    let open = Dictionary(grouping: try incidents(closedAfter: now).filter { $0.state == .open }, by: \.app)
    let apps = try only.map { try app($0).map { [$0] } ?? [] } ?? apps()
    if only != nil, apps.isEmpty { return nil }
    var metrics = AppMetrics()
    for app in apps {
      let summary = try summary(of: app) { try health(of: app).summary(app, now: now) }
      metrics.add(summary, openIncidents: open[app.id]?.count ?? 0, now: now)
      if only != nil { metrics.add(try health(of: app).report(app, now: now)) }
    }
    return Array(metrics.text.utf8)
  }
}

/// An app's title and icon.
struct AppIdentity: Sendable, Hashable {
  /// Nil to show the bundle identifier.
  var title: String?
  /// A hash of the icon's bytes; nil without one.
  var iconTag: String?

  init(_ app: App) {
    title = app.settings.title
    iconTag = app.settings.iconTag
  }

  /// The address of an app's icon, below the root of the site.
  static let iconPath: PathPattern = "apps/{app}/icon.png"
}

extension PageSource {
  /// The identities that a page needs: of its app or, without one, of all apps that the client may read.
  func identities(for app: String?) throws -> [String: AppIdentity] {
    guard let app else { return .init(try apps()) }
    return .init(try self.app(app).map { [$0] } ?? [])
  }

  /// An app's icon; nil if there is no such app or it has no icon.
  public func iconContent(of app: String) throws -> PageContent? {
    guard let app = try self.app(app), let bytes = try icon(of: app) else { return nil }
    return PageContent(type: "image/png") { bytes }
  }
}

extension [String: AppIdentity] {
  /// The identities of apps by bundle identifier.
  init(_ apps: some Sequence<App>) {
    self.init(apps.map { ($0.bundleID, AppIdentity($0)) }, uniquingKeysWith: { first, _ in first })
  }
}

/// The input of a view in addition to its model: links, filters, login state.
public struct PageContext: Sendable {
  /// Whether links are for a server or for static files.
  var linkStyle: LinkStyle
  /// When a static export was made, which its pages show in a banner; nil on a server.
  var renderedAt: Timestamp?
  /// Whether a user is signed in, so that the page links to the account and to signing out.
  var isSignedIn: Bool
  /// Whether a proxy signed the user in, so that only the proxy can sign the user out.
  var isSignedInByProxy = false
  /// Whether that user may decide about groups of the page's app.
  var canEdit: Bool
  /// The titles and icons of the apps that the page may name, by bundle identifier.
  var identities: [String: AppIdentity] = [:]
  /// The requested filters. Links between the pages of an app keep them.
  var filter: ReportQuery
  /// The values that filters offer; nil for a page without a filter form.
  var choices: FilterChoices?
  /// The error in the budget file that prevents verdicts; nil without an error.
  var budgetError: String?
  /// The number of open incidents of the page's app, shown in the navigation.
  var openIncidents = 0
  /// A warning about the server, shown on every page; nil if there is none.
  var serverWarning: String?
  /// The path of the stylesheet, relative to the root of the site.
  var stylesheet: String
  /// The path of the icon, relative to the root of the site.
  var icon: String
  /// The path of the script that reloads waiting pages, relative to the root of the site.
  var script: String
  /// The server's public address, for the command on the empty first page.
  var serverURL: String
  /// The path prefix of the server in every link, such as `/plumb`; empty at the root of a host.
  var mountPath: String

  /// The defaults are those of a page served to a client without a login.
  public init(
    linkStyle: LinkStyle = .served, renderedAt: Timestamp? = nil, isSignedIn: Bool = false,
    canEdit: Bool = false, filter: ReportQuery = .init(), choices: FilterChoices? = nil, budgetError: String? = nil,
    stylesheet: String = "plumb.css",
    icon: String = "favicon.svg", script: String = "plumb.js", serverURL: String = "http://127.0.0.1:8080",
    mountPath: String = ""
  ) {
    self.mountPath = mountPath
    self.linkStyle = linkStyle
    self.renderedAt = renderedAt
    self.isSignedIn = isSignedIn
    self.canEdit = canEdit
    self.filter = filter
    self.choices = choices
    self.budgetError = budgetError
    self.stylesheet = stylesheet
    self.icon = icon
    self.script = script
    self.serverURL = serverURL
  }
}

public import Health
public import Storage
public import Telemetry

/// The data source of page queries. It contains readers of `Health`, which hide their stores, so that nothing in this
/// module can access a store.
public struct PageSource {
  /// The time of the request.
  public let now: Timestamp
  let apps: () throws -> [App]
  let app: (String) throws -> App?
  let health: (App) throws -> HealthReader
  let groups: (App) throws -> GroupReader
  /// Reads the incidents of all apps that are open, or were closed after a time.
  let incidents: (Timestamp) throws -> [Incident]
  /// Reads the open incidents of one app.
  let openIncidents: (App) throws -> [Incident]
  /// Reads the silences of an app's alerts that have not ended, with those of all apps.
  let silences: (App) throws -> [Silence]
  /// Reads what became of the last message about each incident on each channel.
  let deliveries: () throws -> [String: [String: DeliveryState]]
  /// Returns an app's summary for the first page: one that is still current, or else the one that the closure reads.
  let summary: (App, () throws -> AppSummary) throws -> AppSummary
  /// The health of the server; nil for a static export.
  let serverStatus: () throws -> ServerStatus?
  /// Reads App Store Connect's numbers of an app.
  let appStoreFigures: (App) throws -> [AppStoreFigure]
  /// Reads the bytes of an app's icon, a PNG; nil without one.
  let icon: (App) throws -> [UInt8]?
  /// Decompresses the body of a diagnostic as its client sent it.
  let body: (StoredSample) throws -> [UInt8]

  public init(
    now: Timestamp, apps: @escaping () throws -> [App], app: @escaping (String) throws -> App?,
    health: @escaping (App) throws -> HealthReader, groups: @escaping (App) throws -> GroupReader,
    incidents: @escaping (Timestamp) throws -> [Incident], openIncidents: @escaping (App) throws -> [Incident],
    silences: @escaping (App) throws -> [Silence] = { _ in [] },
    deliveries: @escaping () throws -> [String: [String: DeliveryState]] = { [:] },
    summary: @escaping (App, () throws -> AppSummary) throws -> AppSummary = { try $1() },
    serverStatus: @escaping () throws -> ServerStatus? = { nil },
    appStoreFigures: @escaping (App) throws -> [AppStoreFigure] = { _ in [] },
    icon: @escaping (App) throws -> [UInt8]? = { _ in nil },
    body: @escaping (StoredSample) throws -> [UInt8]
  ) {
    self.now = now
    self.apps = apps
    self.app = app
    self.health = health
    self.groups = groups
    self.incidents = incidents
    self.openIncidents = openIncidents
    self.silences = silences
    self.deliveries = deliveries
    self.summary = summary
    self.serverStatus = serverStatus
    self.appStoreFigures = appStoreFigures
    self.icon = icon
    self.body = body
  }
}

/// A request for a page or its data.
public struct PageRequest {
  public let source: PageSource
  /// The values of the placeholders in the page's path.
  public let arguments: [String]
  /// Whether the page is for a static export, which must contain every page that another one links to.
  let isExport: Bool
  private let parameters: (String) -> String?

  public init(
    _ source: PageSource, arguments: [String], isExport: Bool = false,
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
    health = try request.source.health(app)
  }

  var now: Timestamp { request.source.now }

  func groups() throws -> GroupReader { try request.source.groups(app) }

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

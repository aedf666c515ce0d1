public import Health
public import Storage
public import Telemetry

/// What the queries of pages read from. It hands out readers of `Health`, which keep their store to themselves: nothing in
/// this module can reach one.
public struct PageSource {
  /// When the request came.
  public let now: Timestamp
  let apps: () throws -> [App]
  let app: (String) throws -> App?
  let health: (App) throws -> HealthReader
  let groups: (App) throws -> GroupReader
  /// Incidents of all apps that are open or were closed after a time.
  let incidents: (Timestamp) throws -> [Incident]
  /// What is open of one app.
  let openIncidents: (App) throws -> [Incident]
  /// A diagnostic as its client sent it.
  let body: (StoredSample) throws -> [UInt8]

  public init(
    now: Timestamp, apps: @escaping () throws -> [App], app: @escaping (String) throws -> App?,
    health: @escaping (App) throws -> HealthReader, groups: @escaping (App) throws -> GroupReader,
    incidents: @escaping (Timestamp) throws -> [Incident], openIncidents: @escaping (App) throws -> [Incident],
    body: @escaping (StoredSample) throws -> [UInt8]
  ) {
    self.now = now
    self.apps = apps
    self.app = app
    self.health = health
    self.groups = groups
    self.incidents = incidents
    self.openIncidents = openIncidents
    self.body = body
  }
}

/// A request for a page or its data.
public struct PageRequest {
  public let source: PageSource
  /// The values of the placeholders of the page's path.
  public let arguments: [String]
  /// Whether a static export asks: it has to have every page that another one links to.
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

  /// A query parameter.
  func parameter(_ name: String) -> String? { parameters(name) }

  /// A query parameter that must be a whole number from 1 to `most`.
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

/// What is asked of one app.
public struct AppQuestion {
  let request: PageRequest
  let app: App
  let query: ReportQuery
  let health: HealthReader
  /// What filters can be set to, where the page has a form.
  var choices: FilterChoices?

  /// Nil when no app is called like the first argument of the request.
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

  /// Of all that may be asked only the environment, as on the page of a release.
  var environmentOnly: ReportQuery { ReportQuery(environment: query.environment) }

  /// Without the label, which narrows one metric only.
  var unlabelled: ReportQuery {
    var query = query
    query.label = nil
    return query
  }
}

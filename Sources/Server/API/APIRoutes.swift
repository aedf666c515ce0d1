import Access
import HTTP
import Health
import JSON
import Pages
import Storage
import Symbols

/// Answers requests below `/api/v1`.
struct APIRoutes {
  private let context: ServerContext
  private let source: PageSource
  private let permission: Permission

  init(_ context: ServerContext, _ source: PageSource, _ reader: ReadAccess.Reader) {
    self.context = context
    self.source = source
    permission = reader.permission
  }

  /// The response; nil if there is no such route, or no data for it.
  func content(of request: RequestSnapshot) throws -> PageContent? {
    guard let address = APIAddress(request.segments) else { return nil }
    try APIParameters.check(request.query, known: address.parameters)
    switch address {
    case .symbols:
      // Symbols belong to no app.
      guard let symbols = context.symbols, permission.allows(.read) else { return nil }
      return .fresh(SymbolJSON.list(symbols.all(), limit: symbols.limit))
    case .coverage(let app): return try coverage(of: app)
    case .audit: return try audit(request)
    case .silences(let app): return try source.silences(ofApp: app).map(PageContent.fresh)
    case .prometheus:
      return try source.prometheus(only: request.query("app")).map { bytes in
        PageContent(type: MetricFamily.mediaType) { bytes }
      }
    case .data(let endpoint, let arguments):
      let format = endpoint.hasTable ? try APIFormat(request) : .json
      let question = PageRequest(source, arguments: arguments, parameters: request.query)
      return try endpoint.data(question).map { try .api($0, format) }
    }
  }

  private func audit(_ request: RequestSnapshot) throws -> PageContent {
    guard permission.allows(.administer) else { throw ReadAccess.Refusal(detail: AuditRequest.refusal) }
    let filter = try AuditRequest.filter(request)
    let entries = try context.control.auditEntries(filter)
    let last = entries.count == filter.limit ? entries.last?.id : nil
    let log = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("entries", .array(entries.map(\.json))),
      ("before", last.map(JSONOutput.integer) ?? .null),
    ])
    return .fresh(log.encoded() + [UInt8(ascii: "\n")])
  }

  private func coverage(of id: String) throws -> PageContent? {
    guard let symbols = context.symbols, let app = try context.control.app(bundleID: id),
      permission.allows(.read, on: app.id)
    else { return nil }
    let coverage = SymbolCoverage.of(try context.imagesSeen(app)) { symbols.symbols(uuid: $0)?.isSystem == false }
    return .fresh(SymbolJSON.coverage(coverage, app: app.bundleID))
  }
}

/// A route below `/api/v1`: the data of a page, or symbols, which no page shows.
enum APIAddress {
  case data(DataEndpoint, [String])
  /// The list of uploaded symbols.
  case symbols
  /// The binaries of one app for which symbols are missing.
  case coverage(app: String)
  /// The audit log, for administrators.
  case audit
  /// The silences of one app's alerts.
  case silences(app: String)
  /// The apps' verdicts and numbers for Prometheus.
  case prometheus

  /// Parses a path; nil if there is no such route. `segments`: the whole path, including `api` and `v1`.
  init?(_ segments: [String]) {
    guard segments.prefix(2) == ["api", "v1"] else { return nil }
    let rest = segments.dropFirst(2)
    if Self.symbolsPath.arguments(of: rest) != nil {
      self = .symbols
    } else if Self.auditPath.arguments(of: rest) != nil {
      self = .audit
    } else if Self.prometheusPath.arguments(of: rest) != nil {
      self = .prometheus
    } else if let app = Self.silencesPath.arguments(of: rest)?.first {
      self = .silences(app: app)
    } else if let app = Self.coveragePath.arguments(of: rest)?.first {
      self = .coverage(app: app)
    } else {
      for endpoint in PageList.endpoints {
        guard let arguments = endpoint.path.arguments(of: rest) else { continue }
        self = .data(endpoint, arguments)
        return
      }
      return nil
    }
  }

  private static let silencesPath: PathPattern = "apps/{app}/silences"
  private static let auditPath: PathPattern = "audit"
  private static let prometheusPath: PathPattern = "prometheus"
  private static let symbolsPath: PathPattern = "symbols"
  private static let coveragePath: PathPattern = "apps/{app}/symbols"

  /// The paths of all routes, without `/api/v1`.
  static var all: [PathPattern] {
    PageList.endpoints.map(\.path) + [symbolsPath, coveragePath, auditPath, silencesPath, prometheusPath]
  }

  /// The query parameters that the route supports, as listed in `openapi.json`.
  var parameters: [String] {
    switch self {
    case .data(let endpoint, _): endpoint.parameters
    case .audit: ["app", "who", "action", "before"]
    case .prometheus: ["app"]
    case .symbols, .coverage, .silences: []
    }
  }
}

extension PageContent {
  /// A JSON response that is not cached.
  fileprivate static func fresh(_ json: [UInt8]) -> Self {
    Self(type: "application/json", isLasting: false) { json }
  }

  /// A page's data in the requested format.
  fileprivate static func api(_ data: PageData, _ format: APIFormat) throws -> Self {
    guard case .table(let answer) = data else { return Self(type: "application/json", render: data.json) }
    switch format {
    case .json: return Self(type: "application/json", render: data.json)
    case .csv: return csv(answer.table)
    case .table(let name):
      guard let table = answer.table(name) else {
        let names = DataTable.allCases.filter { answer.table($0) != nil }.map(\.rawValue).joined(separator: ", ")
        throw InvalidQuery(
          detail: "table: there is no table \(name.rawValue) here; known here: \(names)", parameter: "table",
          isReadable: true)
      }
      return csv(table)
    }
  }

  private static func csv(_ table: CSVTable) -> Self {
    Self(type: "text/csv; charset=utf-8; header=present", render: table.csv)
  }
}

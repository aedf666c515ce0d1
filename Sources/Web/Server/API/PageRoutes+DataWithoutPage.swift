import Analysis
import Core
import Storage
import Symbols

/// The data below `/api/v1` without a page.
extension PageRoutes {
  /// The uploaded symbols, which do not belong to an app.
  func symbols(_ call: RoutedRequest) throws -> Response? {
    try answer(call) { reading in
      guard reading.reader.permission.allows(.read) else { return nil }
      return .fresh(StoredSymbolList(backend.symbols.all(), limit: backend.symbols.limit).json)
    }
  }

  /// The binaries of one app for which symbols are missing.
  func symbolCoverage(_ call: RoutedRequest) throws -> Response? {
    try answer(call) { reading in
      guard let app = try reading.source.app(call.arguments[0]) else { return nil }
      let symbols = backend.symbols
      let coverage = SymbolCoverage.of(try backend.imagesSeen(of: app)) {
        symbols.symbols(uuid: $0)?.isSystem == false
      }
      return .fresh(AppSymbolCoverage(app: app.bundleID, coverage).json)
    }
  }

  /// The audit log, for administrators.
  func auditLog(_ call: RoutedRequest) throws -> Response? {
    try answer(call) { reading in
      guard reading.reader.permission.allows(.administer) else {
        throw ReadAccess.Refusal(detail: AuditQueryParameters.refusal)
      }
      let filter = try AuditQueryParameters.filter(call.request)
      return .fresh(AuditEntryList(try backend.control.auditEntries(filter), limit: filter.limit).json)
    }
  }

  /// The silences of one app's alerts.
  func silences(_ call: RoutedRequest) throws -> Response? {
    try answer(call) { try $0.source.silences(ofApp: call.arguments[0]).map { .fresh($0.json) } }
  }

  /// The apps' verdicts and numbers for Prometheus.
  func prometheus(_ call: RoutedRequest) throws -> Response? {
    try answer(call) { reading in
      try reading.source.prometheus(only: call.request.query("app")).map { bytes in
        PageContent(type: MetricFamily.mediaType) { bytes }
      }
    }
  }
}

extension PageContent {
  /// A JSON response that is not cached.
  fileprivate static func fresh(_ json: @escaping () -> [UInt8]) -> Self {
    Self(type: "application/json", isLasting: false, render: json)
  }

  /// A page's data in the requested format.
  static func api(_ data: EndpointData, _ format: APIFormat) throws -> Self {
    guard case .object(let object as any TableConvertible) = data else {
      return Self(type: "application/json", render: data.json)
    }
    switch format {
    case .json: return Self(type: "application/json", render: data.json)
    case .csv: return csv(object.csv)
    case .table(let name):
      guard let table = object.table(name) else {
        let names = AnswerTableName.allCases.filter { object.table($0) != nil }.map(\.rawValue).joined(separator: ", ")
        throw InvalidQuery(
          detail: "table: expected one of \(names), found \(name.rawValue)", parameter: "table",
          isReadable: true)
      }
      return csv(table.csv)
    }
  }

  private static func csv(_ render: @escaping () -> [UInt8]) -> Self {
    Self(type: "text/csv; charset=utf-8; header=present", render: render)
  }
}

import Analysis

/// The format of an API response.
enum APIFormat: Equatable {
  case json
  case csv
  /// A secondary table of the response, as CSV.
  case table(AnswerTableName)

  /// Reads the parameter `format`, or else the header `Accept`; JSON without either. The parameter `table` selects a
  /// secondary table, which is always CSV.
  init(_ request: RequestSnapshot) throws(InvalidQuery) {
    let named = try Self.table(request)
    switch request.query("format") {
    case nil: self = named.map(Self.table) ?? Self.accepted(request.header("Accept") ?? "")
    case "csv": self = named.map(Self.table) ?? .csv
    case "json" where named == nil: self = .json
    case "json":
      throw InvalidQuery(
        detail: "table: tables are only available as CSV, found format=json", parameter: "table",
        isReadable: true)
    case let name?:
      throw InvalidQuery(detail: "format: expected json or csv, found \"\(name)\"", parameter: "format")
    }
  }

  private static func table(_ request: RequestSnapshot) throws(InvalidQuery) -> AnswerTableName? {
    guard let name = request.query("table") else { return nil }
    guard let table = AnswerTableName(rawValue: name) else {
      let names = AnswerTableName.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidQuery(detail: "table: expected one of \(names), found \"\(name)\"", parameter: "table")
    }
    return table
  }

  /// The format for an Accept header: CSV only for a client that accepts it by name and does not prefer JSON (RFC 9110
  /// §12.5.1).
  private static func accepted(_ header: String) -> Self {
    let csv = AcceptHeader.weight(of: "text/csv", in: header) ?? 0
    guard csv > 0 else { return .json }
    return csv >= AcceptHeader.weight(of: "application/json", in: header) ?? 0 ? .csv : .json
  }
}

import Analysis

/// The query parameters of an API request, checked against the parameters of its route.
///
/// Pages ignore unknown parameters, because other sites link to them. The API refuses them; otherwise a program that
/// misspells `from` would get data of the wrong period without noticing.
struct APIParameters {
  private static let texts: Set = [
    "environment", "release", "os", "device", "device_class", "where", "label", "branch", "runner",
  ]

  static func check(_ query: [(name: String, value: String)], known: [String]) throws(InvalidQuery) {
    for (name, value) in query {
      guard known.contains(name) else {
        let choice = known.isEmpty ? "the address has none" : "expected one of \(known.joined(separator: ", "))"
        throw InvalidQuery(detail: "\(name): unknown parameter; \(choice)", parameter: name)
      }
      // An empty value does not filter, as in the forms of the pages.
      if value.isEmpty, !texts.contains(name) {
        throw InvalidQuery(detail: "\(name): the value must not be empty", parameter: name)
      }
    }
    try checkOnce(query)
  }

  /// Refuses a parameter that occurs twice: either value might be meant.
  static func checkOnce(_ query: [(name: String, value: String)]) throws(InvalidQuery) {
    var seen: Set<String> = []
    for (name, _) in query where !seen.insert(name).inserted {
      throw InvalidQuery(detail: "\(name): found more than once, expected once", parameter: name)
    }
  }
}

/// The format of an API response.
enum APIFormat: Equatable {
  case json
  case csv
  /// A secondary table of the response, as CSV.
  case table(DataTable)

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

  private static func table(_ request: RequestSnapshot) throws(InvalidQuery) -> DataTable? {
    guard let name = request.query("table") else { return nil }
    guard let table = DataTable(rawValue: name) else {
      let names = DataTable.allCases.map(\.rawValue).joined(separator: ", ")
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

import HTTP
import Health

/// The parameters of an API request, held against those that its address knows.
///
/// Pages skip what they do not know: links to them come from everywhere. A program that misspells `from` would get
/// numbers of another window and never notice, so the API refuses.
struct APIParameters {
  private static let texts: Set = ["environment", "release", "os", "device", "device_class", "label"]

  static func check(_ query: [(name: String, value: String)], known: [String]) throws(InvalidQuery) {
    var seen: Set<String> = []
    for (name, value) in query {
      guard known.contains(name) else {
        let choice = known.isEmpty ? "none is known here" : "known here: \(known.joined(separator: ", "))"
        throw InvalidQuery(detail: "\(name): an unknown parameter; \(choice)", parameter: name)
      }
      guard seen.insert(name).inserted else {
        throw InvalidQuery(detail: "\(name): given more than once", parameter: name)
      }
      // An empty text narrows nothing, as in the forms of the pages.
      if value.isEmpty, !texts.contains(name) {
        throw InvalidQuery(detail: "\(name): expected a value, found nothing", parameter: name)
      }
    }
  }
}

/// How a table is written.
enum APIFormat: Equatable {
  case json
  case csv
  /// Another table of the answer than its main one.
  case table(DataTable)

  /// `format` says it, or else `Accept`; JSON when neither does. `table` names another table, which is CSV.
  init(_ request: RequestSnapshot) throws(InvalidQuery) {
    let named = try Self.table(request)
    switch request.query("format") {
    case nil: self = named.map(Self.table) ?? Self.accepted(request.header("Accept") ?? "")
    case "csv": self = named.map(Self.table) ?? .csv
    case "json" where named == nil: self = .json
    case "json":
      throw InvalidQuery(
        detail: "table: a table is CSV, and format=json was asked for", parameter: "table",
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

  /// CSV only for a client that names it and does not like JSON better (RFC 9110 §12.5.1).
  private static func accepted(_ header: String) -> Self {
    let csv = AcceptHeader.weight(of: "text/csv", in: header) ?? 0
    guard csv > 0 else { return .json }
    return csv >= AcceptHeader.weight(of: "application/json", in: header) ?? 0 ? .csv : .json
  }
}

import HTTP
import Health

/// How a table is written.
enum APIFormat: String, CaseIterable {
  case json
  case csv

  /// `format` says it, or else `Accept`; JSON when neither does.
  init(_ request: RequestSnapshot) throws(InvalidQuery) {
    guard let name = request.query("format") else {
      self = Self.accepted(request.header("Accept") ?? "")
      return
    }
    guard let format = Self(rawValue: name) else {
      throw InvalidQuery(detail: "format: expected json or csv, found \"\(name)\"", parameter: "format")
    }
    self = format
  }

  /// CSV only for a client that names it and does not like JSON better (RFC 9110 §12.5.1).
  private static func accepted(_ header: String) -> Self {
    let csv = AcceptHeader.weight(of: "text/csv", in: header) ?? 0
    guard csv > 0 else { return .json }
    return csv >= AcceptHeader.weight(of: "application/json", in: header) ?? 0 ? .csv : .json
  }
}

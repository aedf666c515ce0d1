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
    let csv = weight(of: "text/csv", in: header) ?? 0
    guard csv > 0 else { return .json }
    return csv >= weight(of: "application/json", in: header) ?? 0 ? .csv : .json
  }

  /// The weight of a media range; nil when the header does not name it.
  private static func weight(of wanted: String, in header: String) -> Double? {
    header.split(separator: ",").compactMap { range -> Double? in
      let parts = range.split(separator: ";").map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
      guard parts.first == wanted else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
      return weight.map { Double($0) ?? 0 } ?? 1
    }.max()
  }
}

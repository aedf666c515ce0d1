import HTTP

/// What a client says it can read (RFC 9110 §12.5).
enum AcceptHeader {
  /// The weight of a media range or coding; nil when the header does not name it.
  static func weight(of wanted: String, in header: String) -> Double? {
    header.split(separator: ",").compactMap { range -> Double? in
      let parts = range.split(separator: ";").map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
      guard parts.first == wanted else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
      return weight.map { Double($0) ?? 0 } ?? 1
    }.max()
  }

  /// Whether an `Accept-Encoding` allows gzip.
  static func allowsGzip(_ header: String?) -> Bool {
    guard let header else { return false }
    return (weight(of: "gzip", in: header) ?? weight(of: "*", in: header) ?? 0) > 0
  }
}

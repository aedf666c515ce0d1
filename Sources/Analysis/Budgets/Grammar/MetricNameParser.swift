internal import Core

/// Parses the name of a budget's metric.
enum MetricNameParser {
  /// Parses a name. An unquoted name that looks like a misspelt catalogue name is an error.
  static func parse(_ cursor: inout TokenCursor) throws(GrammarError) -> (name: String, known: Metric?) {
    guard let token = cursor.current, token.kind == .word || token.kind == .quoted, !token.text.isEmpty else {
      throw cursor.expected(expectation)
    }
    let known = Catalogue.metric(named: token.text)
    if known == nil, token.kind == .word { try check(token.text, cursor) }
    cursor.advance()
    return (token.text, known)
  }

  /// The warning about a name that is not in the catalogue; nil for names of signposts, which never are.
  static func warning(about name: Token) -> GrammarError? {
    guard !name.text.utf8.starts(with: "signpost.".utf8) else { return nil }
    let names = Catalogue.metrics.map { ($0.name, $0.name) }
    let near = EditDistance.nearest(to: name.text.lowercased(), in: names, within: 4)
    let hint = near.map { "; did you mean \($0)?" } ?? "."
    return GrammarError(
      offset: name.offset,
      message: "unknown metric \(quoted(name.text))\(hint) Quote the name if your app sends it")
  }

  private static let expectation = "a metric such as launch.first_draw"

  private static func check(_ name: String, _ cursor: TokenCursor) throws(GrammarError) {
    guard name.utf8.count <= 200, let first = name.utf8.first, isLetter(first),
      name.utf8.allSatisfy({ isLetter($0) || (48...57).contains($0) || "._-:/".utf8.contains($0) })
    else { throw cursor.expected(expectation) }
    guard let near = nearest(to: name) else { return }
    throw GrammarError(
      offset: cursor.current?.offset ?? 0,
      message: "unknown metric \(quoted(name)); did you mean \(near)? Quote the name if your app sends it")
  }

  /// The catalogue name that is spelt almost like `name`, or that ends with it, such as for `crash_free`; nil if there
  /// is none.
  private static func nearest(to name: String) -> String? {
    let lower = name.lowercased()
    let names = Catalogue.metrics.map(\.name)
    return EditDistance.nearest(to: lower, in: names.map { ($0, $0) }) ?? names.first { $0.hasSuffix("." + lower) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
}

import Core

/// Budgets in readable form. Only the Budgets page and the command line show budgets as written.
package enum BudgetWords {
  /// The limit of a budget line without the metric, for places that already show it: `p90 ≤ 2 s, on iPhone12,*` for
  /// `p90 launch.first_draw <= 2 s, on iPhone12,*`. Text that is not a budget line is returned unchanged.
  package static func limit(_ line: String) -> String {
    guard let parts = Parts(line) else { return line }
    return parts.text(naming: nil)
  }

  /// The whole line with the metric's title: `p90 launch to first draw ≤ 2 s`. Metrics outside the catalogue keep their
  /// names.
  package static func line(_ line: String) -> String {
    guard let parts = Parts(line) else { return line }
    return parts.text(naming: parts.metric.map { title(of: $0) })
  }

  private static func title(of metric: String) -> String {
    Catalogue.metric(named: metric).map { EventNoun.withinSentence($0.title) } ?? metric
  }

  /// A budget line, cut at its comparison.
  private struct Parts {
    /// Such as `p90`; nil for a metric that is a single number.
    var statistic: String?
    /// The metric's name without quotes; nil if the line has none, such as the defaults in the catalogue.
    var metric: String?
    /// `≤` or `≥`
    var comparison: String
    /// The limit and all clauses, as written.
    var rest: String

    init?(_ line: String) {
      guard let sign = Self.firstComparison(line) else { return nil }
      let left = line[..<sign.lowerBound].split(separator: " ", maxSplits: 1).map { Self.trimmed($0) }
      comparison = line[sign] == "<=" ? "≤" : "≥"
      rest = Self.trimmed(line[sign.upperBound...])
      guard let first = left.first else { return }
      if Self.isStatistic(first) {
        statistic = first
        metric = left.dropFirst().first.map(Self.unquoted)
      } else {
        metric = Self.unquoted(Self.trimmed(line[..<sign.lowerBound]))
      }
    }

    func text(naming title: String?) -> String {
      [statistic, title, comparison, rest].compactMap { $0 }.joined(separator: " ")
    }

    /// The first `<=` or `>=` that is not part of a quoted name.
    private static func firstComparison(_ line: String) -> Range<String.Index>? {
      let bytes = line.utf8
      var isQuoted = false
      for index in bytes.indices {
        if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
        guard !isQuoted, bytes[index] == UInt8(ascii: "<") || bytes[index] == UInt8(ascii: ">") else { continue }
        let next = bytes.index(after: index)
        if next < bytes.endIndex, bytes[next] == UInt8(ascii: "=") { return index..<bytes.index(after: next) }
      }
      return nil
    }

    private static func isStatistic(_ word: String) -> Bool {
      word == "mean" || word.utf8.first == UInt8(ascii: "p") && Int(word.dropFirst()) != nil
    }

    private static func unquoted(_ name: String) -> String {
      name.count > 1 && name.first == "\"" && name.last == "\"" ? String(name.dropFirst().dropLast()) : name
    }

    private static func trimmed(_ text: Substring) -> String {
      var bytes = text.utf8.drop { $0 == UInt8(ascii: " ") }
      while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
      return String(Substring(bytes))
    }
  }
}

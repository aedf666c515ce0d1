internal import Telemetry

extension Budget {
  /// The budget as a line of a budget file, written from its parts: reading it gives the same budget, but for `text`.
  ///
  /// Clauses stand in the order of the documentation, numbers in the largest unit in which they are at least 1.
  public var line: String {
    let name = [statistic.name, metricText].compactMap { $0 }.joined(separator: " ")
    var clauses = ["\(name) \(comparison.rawValue) \(text(of: target))"]
    if let warnTarget { clauses.append("warn at \(text(of: warnTarget))") }
    if let device { clauses.append("on \(Self.name(device.text))") }
    clauses += systems.map { "on \($0.text)" }
    if let environment { clauses.append("in \(Self.name(environment, also: "._-"))") }
    if let label { clauses.append("label \(Self.name(label))") }
    if let days { clauses.append("over \(days) d") }
    if let lastReleases { clauses.append(lastReleases == 1 ? "for last release" : "for last \(lastReleases) releases") }
    if adoptionAbove != nil { clauses.append("with \(adoptionText)") }
    if requiresData { clauses.append("require data") }
    return clauses.joined(separator: ", ")
  }

  /// `adoption > 10 %`; empty for a budget that asks for none.
  public var adoptionText: String { adoptionAbove.map { "adoption > \(LimitText.text(of: $0, .ratio))" } ?? "" }

  private func text(of value: Double) -> String {
    LimitText.text(of: value, unit, isCustom: Catalogue.metric(named: metric) == nil)
  }

  /// Quoted where the bare name would be refused, or be taken for a statistic.
  private var metricText: String {
    guard statistic != .value || !metric.utf8.starts(with: "p".utf8), metric != "mean",
      var cursor = try? TokenCursor(metric), let read = try? MetricName.parse(&cursor), read.name == metric,
      cursor.current == nil
    else { return Catalogue.metric(named: metric) == nil ? "\"\(metric)\"" : metric }
    return metric
  }

  /// Quoted where it is more than letters, digits, `also` and single spaces between words.
  private static func name(_ text: String, also: String? = nil) -> String {
    let allowed = (also ?? " .,_-*()+/:").utf8
    let isPlain = text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 0x20) || allowed.contains(byte)
    }
    let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    let isSplit = words.contains { $0.isEmpty || $0.last == UInt8(ascii: ",") }
    return isPlain && !isSplit ? text : "\"\(text)\""
  }
}

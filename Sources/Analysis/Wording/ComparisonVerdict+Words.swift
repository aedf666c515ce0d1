extension ComparisonVerdict {
  /// The verdict in words, with a symbol, because colour alone must not carry the meaning.
  var word: String {
    switch self {
    case .better: "better"
    case .worse: "worse"
    case .noDifferenceShown: "no difference shown"
    case .notEnoughData: "not enough data"
    }
  }
}

extension ReleaseComparison {
  /// The result of a comparison in one line: `4.2.0 is worse than 4.1.0 in 1 of 12 metrics: launch to first draw
  /// (p90).`
  var sentence: String {
    let pair = "\(head) against \(base)"
    let worse = metrics.filter { $0.verdict == .worse }
    let better = metrics.filter { $0.verdict == .better }
    let same = metrics.count { $0.verdict == .noDifferenceShown }
    let unsure = metrics.count { $0.verdict == .notEnoughData }
    if metrics.isEmpty { return "\(pair): there is nothing to compare." }
    var parts: [String] = []
    if !worse.isEmpty { parts.append("worse in \(Self.list(worse))") }
    if !better.isEmpty { parts.append("better in \(Self.list(better))") }
    let mixed = metrics.filter { $0.worseClass != nil && $0.verdict != .worse }
    if !mixed.isEmpty { parts.append("worse on a class of devices in \(Self.list(mixed))") }
    if same > 0 { parts.append("no difference shown in \(same)") }
    if unsure > 0 { parts.append("not enough data in \(unsure)") }
    return "\(pair): \(parts.joined(separator: "; "))."
  }

  private static func list(_ metrics: [MetricComparison]) -> String {
    let shown = metrics.prefix(4).map(\.plainTitle).joined(separator: ", ")
    return metrics.count > 4 ? "\(shown) and \(metrics.count - 4) more" : shown
  }
}

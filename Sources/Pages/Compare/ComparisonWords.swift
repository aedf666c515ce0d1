import Health
import Wording

/// A comparison in one sentence.
enum ComparisonWords {
  static func sentence(_ comparison: ReleaseComparison) -> String {
    let counts = ComparisonVerdict.severest.map { verdict in
      (verdict, comparison.metrics.count { $0.verdict == verdict })
    }.filter { $0.1 > 0 }
    guard !counts.isEmpty else { return "There is nothing to compare." }
    let total = comparison.metrics.count
    // Words and figures do not stand beside each other.
    let number = total > 10 ? { Decimal.grouped($0) } : Summary.number
    let parts = counts.map { "\($0.0.word) in \(number($0.1))" }
    let metrics = total == 1 ? "metric" : "metrics"
    return Summary.capitalized(parts.joined(separator: ", ")) + " of \(number(total)) \(metrics)."
  }
}

extension ComparisonVerdict {
  /// What moved before what did not.
  static let changedFirst: [Self] = [.worse, .better, .notEnoughData, .noDifferenceShown]
}

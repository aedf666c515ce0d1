import Foundation

/// The largest statistic of one or more parts, as observed and for each random assignment.
///
/// Parts count by their share of the cost, so that many small parts do not hide a large one: p-values are divided by
/// weights before they are compared (C. Genovese, K. Roeder, L. Wasserman 2006). For a nearly normal statistic that
/// adds twice the logarithm of the weight to its square.
struct LargestStatistic {
  private(set) var observed: Double
  private var drawn: [Float]

  /// `logWeight`: the logarithm of the part's weight.
  init(_ result: SubtreeEvidence.Result, logWeight: Double) {
    observed = Self.weighted(result.strongest, logWeight)
    drawn = result.drawn.map { $0 * $0 + Float(2 * logWeight) }
  }

  static func weighted(_ statistic: Double, _ logWeight: Double) -> Double { statistic * statistic + 2 * logWeight }

  /// Adds other parts.
  mutating func merge(_ other: LargestStatistic) {
    observed = max(observed, other.observed)
    for draw in drawn.indices { drawn[draw] = max(drawn[draw], other.drawn[draw]) }
  }

  /// The p-value of what was observed.
  var pValue: Double { pValue(observed) }

  /// The share of assignments that reach a weighted statistic. Beyond all of them, the tail is that of a normal
  /// distribution.
  func pValue(_ weighted: Double) -> Double {
    let reached = drawn.count { Double($0) >= weighted - 1e-4 }
    let count = Double(drawn.count + 1)
    guard reached == 0, let most = drawn.max() else { return Double(reached + 1) / count }
    return exp(-(weighted - Double(most)) / 2) / count
  }
}

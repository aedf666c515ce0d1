import Telemetry

extension HistogramReader {
  /// How many values have a bin at most that of `target`, with spans at their low edge (the most), spread, and at their
  /// high edge (the fewest). A value exactly at the target counts.
  public func count(atMost target: Double) -> (low: Double, spread: Double, high: Double) {
    let edge = upperEdge(of: target)
    return counts { $0.count(atMost: edge) }
  }

  /// How many values have a bin below that of `target`, with spans at their low edge (the most), spread, and at their
  /// high edge (the fewest). A value exactly at the target does not count.
  public func count(below target: Double) -> (low: Double, spread: Double, high: Double) {
    guard target > 0 else { return (0, 0, 0) }
    if countsWhole(target) { return counts { $0.count(below: target.rounded(.up)) } }
    guard target < .infinity else { return counts { $0.total } }
    let edge = histogram.scheme.bounds(of: histogram.scheme.index(of: target)).low
    return counts { $0.count(atMost: edge) }
  }

  private func counts(_ count: (CumulativeCurve) -> Double) -> (low: Double, spread: Double, high: Double) {
    (count(curve(.low)), count(curve(.spread)), count(curve(.high)))
  }

  /// The largest value whose bin is not above the target's. Whole numbers are compared exactly: 5 is above 4.6.
  private func upperEdge(of target: Double) -> Double {
    guard target > 0, target < .infinity else { return target }
    if countsWhole(target) { return target }
    return histogram.scheme.bounds(of: histogram.scheme.index(of: target)).high
  }

  private func countsWhole(_ target: Double) -> Bool {
    histogram.scheme == .integer && target <= Double(BinScheme.lastInteger)
  }
}

import Telemetry

extension HistogramReader {
  /// Half the width of a bin relative to its value, rounded up.
  static let binError = 0.0055

  /// The value of the nearest rank, 1 to `count`; nil when there are no values. Finite values are kept within the
  /// histogram's minimum and maximum.
  public func value(atRank rank: Double, _ placement: Placement = .spread) -> Double? {
    guard count > 0, !rank.isNaN else { return nil }
    let rank = min(max(1, rank), Double(count))
    return curve(placement).value(atRank: rank).map(histogram.clamped)
  }

  /// The nearest-rank percentile, `p` from 0 to 1, and how far the truth can be from it by the coarseness of bins and
  /// spans alone, relative to the value. The error is infinite where a span without end is involved.
  public func quantile(_ p: Double) -> (value: Double, relativeError: Double)? {
    guard p >= 0, p <= 1 else { return nil }
    let exact = p * Double(count)
    let rank = (exact - exact * 1e-12).rounded(.up)
    guard let value = value(atRank: rank), let low = self.value(atRank: rank, .low),
      let high = self.value(atRank: rank, .high)
    else { return nil }
    let isExact = histogram.scheme == .integer && value <= Double(BinScheme.lastInteger)
    let distance = (high - low) / 2
    let relative = distance > 0 ? distance / value : 0
    return (value, max(isExact ? 0 : Self.binError, relative))
  }
}

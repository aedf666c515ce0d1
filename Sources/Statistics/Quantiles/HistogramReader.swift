import Core

/// A view of a histogram that computes percentiles, means, counts and bars.
///
/// The values of a bin count at the bin's value. The values of a span are spread evenly, or all at one of its edges,
/// which gives the two extremes between which the true result lies.
public struct HistogramReader: Sendable {
  /// The assumed positions of values within a span.
  public enum Placement: Sendable {
    /// All values at the lower edge of their span.
    case low
    /// The values evenly spread over their span; in an infinite span at its lower edge.
    case spread
    /// All values at the upper edge of their span, which may be infinite.
    case high
  }

  /// The histogram.
  let histogram: Histogram
  private let atLow: CumulativeCurve
  private let spread: CumulativeCurve
  private let atHigh: CumulativeCurve

  /// Creates a reader. `stepsPerUnit` is the resolution of the histogram's sum and makes the mean exact; without it the
  /// mean is that of the bins' values, within 0.55 %.
  public init(_ histogram: Histogram, stepsPerUnit: Double? = nil) {
    self.histogram = histogram
    self.stepsPerUnit = stepsPerUnit
    let points = histogram.points
    let spans = histogram.spans.entries
    spread = CumulativeCurve(
      points: points + spans.filter { $0.isPoint || $0.isInfinite }.map { .init(x: $0.low, count: $0.count) },
      spans: spans.filter { !$0.isPoint && !$0.isInfinite })
    if spans.allSatisfy(\.isPoint) {
      (atLow, atHigh) = (spread, spread)
    } else {
      atLow = CumulativeCurve(points: points + spans.map { .init(x: $0.low, count: $0.count) })
      atHigh = CumulativeCurve(points: points + spans.map { .init(x: $0.high, count: $0.count) })
    }
  }

  public let stepsPerUnit: Double?

  /// The number of values in the histogram.
  public var count: Int { histogram.count }
  /// Whether the histogram has a span without an upper edge. Only a lower bound of its values is known.
  public var hasInfiniteSpan: Bool { histogram.spans.entries.contains(where: \.isInfinite) }

  func curve(_ placement: Placement) -> CumulativeCurve {
    switch placement {
    case .low: atLow
    case .spread: spread
    case .high: atHigh
    }
  }
}

extension Histogram {
  /// The zeros and bins as single values with counts.
  var points: [CumulativeCurve.Point] {
    var points: [CumulativeCurve.Point] = zeroCount > 0 ? [.init(x: 0, count: zeroCount)] : []
    for bin in bins.entries { points.append(.init(x: scheme.value(of: bin.index), count: bin.count)) }
    return points
  }
}

extension HistogramReader {
  /// The number of values in bins up to that of `target`: with spans at their lower edge (the most), spread, and at
  /// their upper edge (the fewest). A value exactly at the target counts.
  public func count(atMost target: Double) -> (low: Double, spread: Double, high: Double) {
    let edge = upperEdge(of: target)
    return counts { $0.count(atMost: edge) }
  }

  /// The number of values in bins below that of `target`: with spans at their lower edge (the most), spread, and at
  /// their upper edge (the fewest). A value exactly at the target does not count.
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

  /// The value up to which values count as at most `target`: the upper edge of the target's bin, because the position
  /// of values in a bin is unknown. Bins of one whole number are exact, so there it is `target` itself: 5 is above 4.6.
  private func upperEdge(of target: Double) -> Double {
    guard target > 0, target < .infinity else { return target }
    if countsWhole(target) { return target }
    return histogram.scheme.bounds(of: histogram.scheme.index(of: target)).high
  }

  private func countsWhole(_ target: Double) -> Bool {
    histogram.scheme == .integer && target <= Double(BinScheme.lastInteger)
  }
}

extension HistogramReader {
  /// The mean, with finite spans at their middle and infinite ones at their lower edge; nil if there are no values.
  public var mean: Double? {
    guard count > 0 else { return nil }
    if let stepsPerUnit, histogram.sum < .max {
      return histogram.clamped(Double(histogram.sum) / stepsPerUnit / Double(count))
    }
    return histogram.clamped(placedMean)
  }

  /// The sample variance, with each bin's values at the bin's value and those of a span spread evenly. Nil for fewer
  /// than two values.
  public var variance: Double? {
    guard count > 1 else { return nil }
    let mean = placedMean
    var sum = 0.0
    for point in histogram.points { sum += Double(point.count) * (point.x - mean) * (point.x - mean) }
    for span in histogram.spans.entries {
      let width = span.isInfinite ? 0 : span.high - span.low
      let distance = span.middle - mean
      sum += Double(span.count) * (distance * distance + width * width / 12)
    }
    return sum / Double(count - 1)
  }

  /// A lower limit on the error of the mean, in the metric's unit, because ten equal values in one bin do not make the
  /// mean exact. It is one bin's width if all values are equal, and 0 from a standard deviation of one bin on.
  var meanStep: Double {
    guard let mean, let variance, mean > 0 else { return 0 }
    return max(0, mean * BinScheme.relativeWidth - variance.squareRoot())
  }

  /// The distances by which the mean can be wrong downward and upward, because values may lie at the edges of their
  /// spans instead of the middles. `above` is infinite if a span is unbounded.
  var meanPlacement: (below: Double, above: Double) {
    guard count > 0 else { return (0, 0) }
    let half = histogram.spans.entries.reduce(0.0) { sum, span in
      sum + (span.isInfinite ? 0 : Double(span.count) * (span.high - span.low) / 2)
    }
    return (half / Double(count), hasInfiniteSpan ? .infinity : half / Double(count))
  }

  /// The sum of all bin indices, as `ClusterMoments` counts them.
  var indexSum: Int128 { histogram.indexSum }
  /// The sum of all squared bin indices.
  var indexSquareSum: Int128 { histogram.indexSquareSum }

  private var placedMean: Double {
    let total = Double(count)
    var mean = 0.0
    for point in histogram.points { mean += point.x * (Double(point.count) / total) }
    for span in histogram.spans.entries { mean += span.middle * (Double(span.count) / total) }
    return mean
  }
}

extension HistogramReader {
  /// Half the width of a bin relative to its value, rounded up.
  static let binError = 0.0055

  /// The value at the nearest rank, 1 to `count`; nil if there are no values. Finite values are limited to the
  /// histogram's minimum and maximum.
  func value(atRank rank: Double, _ placement: Placement = .spread) -> Double? {
    guard count > 0, !rank.isNaN else { return nil }
    let rank = min(max(1, rank), Double(count))
    return curve(placement).value(atRank: rank).map(histogram.clamped)
  }

  /// The nearest-rank percentile, `p` from 0 to 1, with the maximum relative error that the coarseness of bins and
  /// spans can cause. That is the larger of the two distances with all spans at their lower edges and at their upper
  /// edges. The error is infinite if an unbounded span is involved.
  public func quantile(_ p: Double) -> (value: Double, relativeError: Double)? {
    guard p >= 0, p <= 1 else { return nil }
    let exact = p * Double(count)
    let rank = (exact - exact * 1e-12).rounded(.up)
    guard let value = value(atRank: rank), let low = self.value(atRank: rank, .low),
      let high = self.value(atRank: rank, .high)
    else { return nil }
    let isExact = histogram.scheme == .integer && value <= Double(BinScheme.lastInteger)
    let distance = max(value - low, high - value)
    let relative = distance > 0 ? distance / value : 0
    return (value, max(isExact ? 0 : Self.binError, relative))
  }
}

extension Double {
  /// Converts to the nearest double. The standard library converts 128 bits digit by digit, which takes longer than the
  /// rest of an interval's computation. Nearly all sums fit into 64 bits.
  init(wide value: Int128) {
    let low = Int64(truncatingIfNeeded: value)
    self = Int128(low) == value ? Double(low) : Double(value)
  }
}

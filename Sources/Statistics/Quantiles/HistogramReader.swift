import Telemetry

/// Reads numbers from a histogram: built once, then asked for percentiles, counts and bars.
///
/// Bins are point masses at their value. The values of a span lie evenly over it, or all at one of its edges: the two
/// extremes between which the truth lies.
public struct HistogramReader: Sendable {
  /// Where the values of a span are put.
  public enum Placement: Sendable {
    /// At the lower edge.
    case low
    /// Evenly over the span; an infinite span's at its low.
    case spread
    /// At the upper edge, which may be infinite.
    case high
  }

  /// What is read.
  public let histogram: Histogram
  private let atLow: CumulativeCurve
  private let spread: CumulativeCurve
  private let atHigh: CumulativeCurve

  /// The exact mean needs the resolution of the histogram's sum; without `stepsPerUnit` it is that of the bins' values,
  /// which is within 0.55 % of it.
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

  let stepsPerUnit: Double?

  /// How many values there are.
  public var count: Int { histogram.count }
  /// Whether some values are known only from below.
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
  /// Zeros and bins as point masses.
  var points: [CumulativeCurve.Point] {
    var points: [CumulativeCurve.Point] = zeroCount > 0 ? [.init(x: 0, count: zeroCount)] : []
    for bin in bins.entries { points.append(.init(x: scheme.value(of: bin.index), count: bin.count)) }
    return points
  }
}

import Telemetry

/// A distribution that can be added to and merged without losing anything: raw samples in bins, bucketed counts in spans
/// kept as they came. Sums are whole numbers, so any order of adding and merging gives the same value.
///
/// Reading numbers from it is the work of `HistogramReader`.
public struct Histogram: Sendable, Equatable {
  /// How values find their bins.
  public let scheme: BinScheme
  /// Values counted, zeros included.
  public internal(set) var count = 0
  /// Values that are exactly 0 (in the integer scheme: that round to 0).
  public internal(set) var zeroCount = 0
  /// The sum in fixed-point steps, a span's by its middle, an infinite span's by its low. Stops at `Int64.max`.
  public internal(set) var sum: Int64 = 0
  /// True when sum, minimum or maximum come from the edges of buckets.
  public internal(set) var isEstimated = false
  /// What the closed payloads say about how alike the values of one payload are.
  public internal(set) var moments = ClusterMoments()

  var bins = SortedCounts<Bin>()
  var spans = SpanCounts()
  var lowest = Double.infinity
  var highest = -Double.infinity

  /// A histogram without values.
  public init(scheme: BinScheme) { self.scheme = scheme }

  /// The smallest value, or the lower edge of the lowest span; nil when empty.
  public var minimum: Double? { count > 0 ? lowest : nil }
  /// The largest value, or the upper edge of the highest span (of an infinite one, its low); nil when empty.
  public var maximum: Double? { count > 0 ? highest : nil }
}

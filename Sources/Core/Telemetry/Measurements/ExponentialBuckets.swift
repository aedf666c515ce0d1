import Glibc

/// An OpenTelemetry exponential histogram of non-negative values: bucket `index` holds values in (base^index,
/// base^(index + 1)], base = 2^(2^−scale).
///
/// Source: opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
public struct ExponentialBuckets: Sendable, Equatable {
  /// The resolution, from `coarsestScale` to `finestScale`: a bucket's edges differ by the factor 2^(2^−scale).
  public private(set) var scale: Int
  /// The number of values that are 0.
  public var zeros: Int
  /// The buckets with a count of at least 1, ascending by index.
  public private(set) var buckets: [Bucket]

  public struct Bucket: Sendable, Equatable {
    public var index: Int
    public var count: Int

    public init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// The scale of Plumb's bins. Finer histograms are reduced to it without loss of counts.
  public static let finestScale = 6
  /// The coarsest scale that is kept: at −11 all doubles above 1 share one bucket, and all below share another.
  public static let coarsestScale = -11

  /// Creates a histogram from buckets in ascending order. A scale outside the supported range is brought into it.
  public init(scale: Int, zeros: Int, buckets: [Bucket]) {
    self.scale = scale
    self.zeros = zeros
    self.buckets = buckets
    lower(to: min(max(scale, Self.coarsestScale), Self.finestScale))
  }

  /// Merges neighbouring buckets until the scale is `target`: each step halves every index, rounding down.
  public mutating func lower(to target: Int) {
    guard scale > target else { return }
    let shift = scale - target
    var joined: [Bucket] = []
    for bucket in buckets {
      let index = bucket.index >> min(shift, 62)
      if let last = joined.indices.last, joined[last].index == index {
        let (sum, overflow) = joined[last].count.addingReportingOverflow(bucket.count)
        joined[last].count = overflow ? .max : sum
      } else {
        joined.append(Bucket(index: index, count: bucket.count))
      }
    }
    buckets = joined
    scale = target
  }

  /// Counts buckets of subnormal values as zeros, because Plumb has no bins for them.
  public mutating func foldSubnormal() {
    let tiny = buckets.prefix { edges(of: $0.index).high < .leastNormalMagnitude }
    for bucket in tiny {
      let (sum, overflow) = zeros.addingReportingOverflow(bucket.count)
      zeros = overflow ? .max : sum
    }
    buckets.removeFirst(tiny.count)
  }

  /// The histogram's buckets as spans, with the zeros as a span of width 0.
  var spans: [Span] {
    var spans: [Span] = zeros > 0 ? [Span(low: 0, high: 0, count: zeros)] : []
    for bucket in buckets {
      let edges = edges(of: bucket.index)
      spans.append(Span(low: edges.low, high: edges.high, count: bucket.count))
    }
    return spans
  }

  /// The edges of a bucket: base^index and base^(index + 1).
  public func edges(of index: Int) -> (low: Double, high: Double) {
    let width = 1 / pow(2, Double(scale))
    return (pow(2, Double(index) * width), pow(2, (Double(index) + 1) * width))
  }

  /// The arithmetic middle of a bucket; its lower edge when the upper one is infinite.
  public func middle(of index: Int) -> Double {
    let (low, high) = edges(of: index)
    return high.isFinite ? (low + high) / 2 : low
  }
}

import Glibc

/// An exponential histogram as OpenTelemetry defines it, of values that are not negative: bucket `index` holds values in
/// (base^index, base^(index + 1)], base = 2^(2^−scale).
///
/// Source: opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
public struct ExponentialBuckets: Sendable, Equatable {
  /// At most `finestScale`.
  public private(set) var scale: Int
  /// Values that are 0.
  public var zeros: Int
  /// Ascending by index, no count below 1.
  public private(set) var buckets: [Bucket]

  public struct Bucket: Sendable, Equatable {
    public var index: Int
    public var count: Int

    public init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// The scale of Plumb's own bins: finer ones are brought to it, which is exact.
  public static let finestScale = 6
  /// Coarser than any double needs: one bucket above 1, one below.
  public static let coarsestScale = -11

  /// Buckets of any scale, in ascending order.
  public init(scale: Int, zeros: Int, buckets: [Bucket]) {
    self.scale = scale
    self.zeros = zeros
    self.buckets = buckets
    lower(to: min(max(scale, Self.coarsestScale), Self.finestScale))
  }

  /// Joins neighbours until the scale is `target`: each step halves every index, rounding down.
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

  /// Counts values smaller than any normal double as zeros: no bin exists for them.
  public mutating func foldSubnormal() {
    let tiny = buckets.prefix { edges(of: $0.index).high < .leastNormalMagnitude }
    for bucket in tiny {
      let (sum, overflow) = zeros.addingReportingOverflow(bucket.count)
      zeros = overflow ? .max : sum
    }
    buckets.removeFirst(tiny.count)
  }

  /// The same buckets as spans, the zeros as a point.
  public var spans: [Span] {
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

  /// The middle of a bucket.
  public func middle(of index: Int) -> Double {
    let (low, high) = edges(of: index)
    return high.isFinite ? (low + high) / 2 : low
  }
}

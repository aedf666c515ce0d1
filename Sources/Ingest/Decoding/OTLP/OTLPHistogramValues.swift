internal import Core

/// The buckets of an OTLP histogram point in canonical units, with counts of the stored and of the negative values.
struct OTLPHistogramValues {
  var value: Measurement.Value
  /// The number of stored values in all buckets.
  var count = 0
  /// The number of values below 0, which are not stored.
  var negative = 0

  /// A bucket's count. Throws if it exceeds `DecodingLimits.count`.
  static func count(_ count: UInt64) throws(MetricRefusal) -> Int {
    guard count <= UInt64(DecodingLimits.count) else { throw MetricRefusal("a bucket counts more than 10^12 values") }
    return Int(count)
  }

  /// An edge in canonical units, at least 0. Throws if it exceeds `DecodingLimits.value`.
  static func edge(_ edge: Double, _ factor: Double) throws(MetricRefusal) -> Double {
    let scaled = max(0, edge) * factor
    guard edge == .infinity || scaled <= DecodingLimits.value else {
      throw MetricRefusal("a bound is not a number, or is above 10^15 in the metric's unit")
    }
    return scaled
  }

  /// The exact sum, minimum and maximum in canonical units. Nil if values were left out or if the point's count differs
  /// from its buckets', because they would then not describe the stored values.
  func extent(
    count: UInt64, sum: Double?, minimum: Double?, maximum: Double?, factor: Double
  ) -> Extent? {
    guard let sum, negative == 0, count == UInt64(self.count), sum >= 0, sum * factor <= DecodingLimits.sum else {
      return nil
    }
    func end(_ value: Double?) -> Double? {
      value.flatMap { $0 >= 0 && $0 * factor <= DecodingLimits.value ? $0 * factor : nil }
    }
    return Extent(sum: sum * factor, minimum: end(minimum), maximum: end(maximum))
  }
}

extension OTLPHistogramValues {
  /// Converts buckets between explicit bounds to spans. Plumb's values are never negative, so the first bucket starts
  /// at 0 instead of −∞.
  ///
  /// OTLP's buckets include their upper bound, spans their lower one. A value exactly on a bound is therefore counted
  /// in the span below it. No percentile moves by more than its stated error.
  init(_ point: OTLPHistogramDataPoint, factor: Double) throws(MetricRefusal) {
    self.init(value: .spans([]))
    if point.bucketCounts.isEmpty, point.explicitBounds.isEmpty {
      count = try Self.count(point.count)
      if count > 0 { value = .spans([Span(low: 0, high: .infinity, count: count)]) }
      return
    }
    try Self.check(point)
    let mayBeNegative = point.min.map { $0 < 0 } ?? false
    let (counts, bounds) = (point.bucketCounts, point.explicitBounds)
    var spans: [Span] = []
    spans.reserveCapacity(counts.count)
    for (index, number) in counts.enumerated() where number > 0 {
      let count = try Self.count(number)
      let low = index > 0 ? bounds[index - 1] : -.infinity
      let high = index < bounds.count ? bounds[index] : .infinity
      if high < 0 || (low < 0 && high == 0 && mayBeNegative) {
        negative = negative.saturatingAdd(count)
        continue
      }
      self.count = self.count.saturatingAdd(count)
      guard low < .infinity else { throw MetricRefusal("a bucket with values begins at infinity") }
      spans.append(Span(low: try Self.edge(low, factor), high: try Self.edge(high, factor), count: count))
    }
    value = .spans(spans)
  }

  private static func check(_ point: OTLPHistogramDataPoint) throws(MetricRefusal) {
    let bounds = point.explicitBounds
    guard point.bucketCounts.count == bounds.count + 1 else {
      throw MetricRefusal("\(bounds.count) explicitBounds need \(bounds.count + 1) bucketCounts")
    }
    guard bounds.count < OTLPLimits.bounds else {
      throw MetricRefusal("a histogram may have at most \(OTLPLimits.bounds) buckets")
    }
    for index in bounds.indices {
      guard bounds[index] > (index > 0 ? bounds[index - 1] : -.infinity) else {
        throw MetricRefusal("explicitBounds must ascend")
      }
    }
  }
}

extension OTLPHistogramValues {
  /// Converts exponential buckets. In the metric's canonical unit they stay exponential, at scale 6 or coarser. In
  /// another unit they become spans, because conversion moves their edges off the grid of bins.
  init(_ point: OTLPExponentialHistogramDataPoint, factor: Double) throws(MetricRefusal) {
    self.init(value: .spans([]))
    for number in point.negative.bucketCounts where number > 0 {
      negative = negative.saturatingAdd(try Self.count(number))
    }
    var buckets = try Self.buckets(point)
    count = buckets.buckets.reduce(buckets.zeros) { $0.saturatingAdd($1.count) }
    if let last = buckets.buckets.last, buckets.edges(of: last.index).low * factor > DecodingLimits.value {
      throw MetricRefusal("a bucket with values begins above 10^15 in the metric's unit")
    }
    guard point.zeroThreshold >= 0, point.zeroThreshold * factor <= DecodingLimits.value else {
      throw MetricRefusal("zeroThreshold is not a valid value")
    }
    guard factor == 1, point.zeroThreshold == 0 else {
      value = .spans(try Self.spans(buckets, zeroUpTo: point.zeroThreshold, factor))
      return
    }
    buckets.foldSubnormal()
    value = .exponential(buckets)
  }

  private static func buckets(_ point: OTLPExponentialHistogramDataPoint) throws(MetricRefusal) -> ExponentialBuckets {
    let scale = Int(point.scale)
    guard (ExponentialBuckets.coarsestScale...62).contains(scale) else {
      throw MetricRefusal("scale must be between \(ExponentialBuckets.coarsestScale) and 62, found \(scale)")
    }
    guard point.positive.bucketCounts.count <= DecodingLimits.buckets else {
      throw MetricRefusal("a histogram may have at most \(DecodingLimits.buckets) buckets")
    }
    var buckets: [ExponentialBuckets.Bucket] = []
    for (index, number) in point.positive.bucketCounts.enumerated() where number > 0 {
      buckets.append(.init(index: Int(point.positive.offset) + index, count: try count(number)))
    }
    var found = ExponentialBuckets(scale: scale, zeros: try count(point.zeroCount), buckets: buckets)
    // All buckets of a stream are stored, so the scale is lowered until there are few enough. SDKs keep 160 buckets and
    // lower the scale in the same way.
    while found.buckets.count > OTLPLimits.buckets, found.scale > ExponentialBuckets.coarsestScale {
      found.lower(to: found.scale - 1)
    }
    return found
  }

  private static func spans(
    _ histogram: ExponentialBuckets, zeroUpTo threshold: Double, _ factor: Double
  ) throws(MetricRefusal) -> [Span] {
    var spans: [Span] = []
    if histogram.zeros > 0 { spans.append(Span(low: 0, high: threshold * factor, count: histogram.zeros)) }
    for bucket in histogram.buckets {
      let edges = histogram.edges(of: bucket.index)
      let high = edges.high * factor <= DecodingLimits.value ? edges.high * factor : .infinity
      spans.append(Span(low: edges.low * factor, high: high, count: bucket.count))
    }
    return spans
  }
}

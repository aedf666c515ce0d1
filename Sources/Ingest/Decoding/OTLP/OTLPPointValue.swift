internal import Core

/// The value of a point, converted to the stored unit.
struct OTLPPointValue {
  private(set) var value: Measurement.Value
  /// The exact sum, minimum and maximum of a histogram.
  private(set) var extent: Extent?
  /// The number of a histogram's values below 0. They are left out.
  private(set) var negative = 0

  /// A bucket's count. Throws if it exceeds `DecodingLimits.count`.
  @inline(__always)
  private static func count(_ count: UInt64) throws(MetricRefusal) -> Int {
    guard count <= UInt64(DecodingLimits.count) else { throw MetricRefusal("a bucket counts more than 10^12 values") }
    return Int(count)
  }
}

extension OTLPPointValue {
  /// The value of a counter or level. Throws if it is missing, negative or beyond `DecodingLimits.value`.
  init(_ point: OTLPNumberDataPoint, _ storage: OTLPMetricStorage) throws(MetricRefusal) {
    let written: Double
    switch point.value {
    case .asInt(let number): written = Double(number)
    case .asDouble(let number): written = number
    case nil: throw MetricRefusal("a point has neither asInt nor asDouble")
    }
    let number = written * (point.isWhole ? storage.whole : storage.mapping).factor
    guard number.isFinite else { throw MetricRefusal("a value is not finite") }
    guard number >= 0 else { throw MetricRefusal("a value is below 0: \(written)") }
    guard number <= DecodingLimits.value else {
      throw MetricRefusal("a value is above 10^15 in the metric's unit")
    }
    value = storage.isSample ? .samples([number]) : .counter(number)
  }
}

extension OTLPPointValue {
  /// Converts buckets between explicit bounds to spans. Plumb's values are never negative, so the first bucket starts
  /// at 0 instead of −∞.
  ///
  /// OTLP's buckets include their upper bound, spans their lower one. A value exactly on a bound is therefore counted
  /// in the span below it. No percentile moves by more than its stated error.
  init(_ point: OTLPHistogramDataPoint, _ storage: OTLPMetricStorage) throws(MetricRefusal) {
    let factor = storage.mapping.factor
    let (counts, bounds) = (point.bucketCounts, point.explicitBounds)
    var spans: [Span] = []
    var (total, negative) = (0, 0)
    if counts.isEmpty, bounds.isEmpty {
      total = try Self.count(point.count)
      if total > 0 { spans = [Span(low: 0, high: .infinity, count: total)] }
    } else {
      try Self.check(counts, bounds)
      let mayBeNegative = point.min.map { $0 < 0 } ?? false
      spans.reserveCapacity(counts.count)
      for (index, number) in counts.enumerated() where number > 0 {
        let count = try Self.count(number)
        let low = index > 0 ? bounds[index - 1] : -.infinity
        let high = index < bounds.count ? bounds[index] : .infinity
        if high < 0 || (low < 0 && high == 0 && mayBeNegative) {
          negative = negative.saturatingAdd(count)
          continue
        }
        total = total.saturatingAdd(count)
        guard low < .infinity else { throw MetricRefusal("a bucket with values begins at infinity") }
        spans.append(Span(low: try Self.edge(low, factor), high: try Self.edge(high, factor), count: count))
      }
    }
    let isWhole = negative == 0 && point.count == UInt64(total)
    let extent = isWhole ? Self.extent(point.sum, point.min, point.max, factor) : nil
    if storage.temporality == .delta { spans.narrow(to: extent) }
    self.init(value: .spans(spans), extent: extent, negative: negative)
  }

  /// An edge in canonical units, at least 0. Throws if it exceeds `DecodingLimits.value`.
  @inline(__always)
  private static func edge(_ edge: Double, _ factor: Double) throws(MetricRefusal) -> Double {
    let scaled = max(0, edge) * factor
    guard edge == .infinity || scaled <= DecodingLimits.value else {
      throw MetricRefusal("a bound is not a number, or is above 10^15 in the metric's unit")
    }
    return scaled
  }

  /// The exact sum, minimum and maximum in canonical units. It is only used if no values were left out and the point's
  /// count is that of its buckets, because otherwise it does not describe the stored values.
  private static func extent(_ sum: Double?, _ minimum: Double?, _ maximum: Double?, _ factor: Double) -> Extent? {
    guard let sum, sum >= 0, sum * factor <= DecodingLimits.sum else { return nil }
    func end(_ value: Double?) -> Double? {
      value.flatMap { $0 >= 0 && $0 * factor <= DecodingLimits.value ? $0 * factor : nil }
    }
    return Extent(sum: sum * factor, minimum: end(minimum), maximum: end(maximum))
  }

  private static func check(_ counts: [UInt64], _ bounds: [Double]) throws(MetricRefusal) {
    guard counts.count == bounds.count + 1 else {
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

extension OTLPPointValue {
  /// Converts exponential buckets. In the metric's canonical unit they stay exponential, at scale 6 or coarser. In
  /// another unit they become spans, because conversion moves their edges off the grid of bins.
  init(_ point: OTLPExponentialHistogramDataPoint, _ storage: OTLPMetricStorage) throws(MetricRefusal) {
    let factor = storage.mapping.factor
    var negative = 0
    for number in point.negative.bucketCounts where number > 0 {
      negative = negative.saturatingAdd(try Self.count(number))
    }
    var buckets = try Self.buckets(point)
    let total = buckets.buckets.reduce(buckets.zeros) { $0.saturatingAdd($1.count) }
    if let last = buckets.buckets.last, buckets.edges(of: last.index).low * factor > DecodingLimits.value {
      throw MetricRefusal("a bucket with values begins above 10^15 in the metric's unit")
    }
    guard point.zeroThreshold >= 0, point.zeroThreshold * factor <= DecodingLimits.value else {
      throw MetricRefusal("zeroThreshold is not a valid value")
    }
    let isWhole = negative == 0 && point.count == UInt64(total)
    let extent = isWhole ? Self.extent(point.sum, point.min, point.max, factor) : nil
    guard factor == 1, point.zeroThreshold == 0 else {
      var spans = Self.spans(buckets, zeroUpTo: point.zeroThreshold, factor)
      if storage.temporality == .delta { spans.narrow(to: extent) }
      self.init(value: .spans(spans), extent: extent, negative: negative)
      return
    }
    buckets.foldSubnormal()
    self.init(value: .exponential(buckets), extent: extent, negative: negative)
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
  ) -> [Span] {
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

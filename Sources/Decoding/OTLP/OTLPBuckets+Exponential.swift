internal import OTLPMessages
internal import Telemetry

extension OTLPBuckets {
  /// Exponential buckets. In the metric's own unit they stay what they are, at scale 6 or coarser; a factor moves edges
  /// off the grid of bins, so that converted ones become spans.
  init(_ point: OTLPExponentialHistogramDataPoint, factor: Double) throws(OTLPRefusal) {
    self.init(value: .spans([]))
    for number in point.negative.bucketCounts where number > 0 {
      negative = negative.saturatingAdd(try Self.count(number))
    }
    var buckets = try Self.buckets(point)
    count = buckets.buckets.reduce(buckets.zeros) { $0.saturatingAdd($1.count) }
    if let last = buckets.buckets.last, buckets.edges(of: last.index).low * factor > Limits.value {
      throw OTLPRefusal("a bucket with values begins beyond 10^15 in the metric's own unit")
    }
    guard point.zeroThreshold >= 0, point.zeroThreshold * factor <= Limits.value else {
      throw OTLPRefusal("zeroThreshold is no number a value can have")
    }
    guard factor == 1, point.zeroThreshold == 0 else {
      value = .spans(try Self.spans(buckets, zeroUpTo: point.zeroThreshold, factor))
      return
    }
    buckets.foldSubnormal()
    value = .exponential(buckets)
  }

  private static func buckets(_ point: OTLPExponentialHistogramDataPoint) throws(OTLPRefusal) -> ExponentialBuckets {
    let scale = Int(point.scale)
    guard (ExponentialBuckets.coarsestScale...62).contains(scale) else {
      throw OTLPRefusal("a scale must lie between \(ExponentialBuckets.coarsestScale) and 62, found \(scale)")
    }
    guard point.positive.bucketCounts.count <= Limits.buckets else {
      throw OTLPRefusal("a histogram may have at most \(Limits.buckets) buckets")
    }
    var buckets: [ExponentialBuckets.Bucket] = []
    for (place, number) in point.positive.bucketCounts.enumerated() where number > 0 {
      buckets.append(.init(index: Int(point.positive.offset) + place, count: try count(number)))
    }
    var found = ExponentialBuckets(scale: scale, zeros: try count(point.zeroCount), buckets: buckets)
    // A stream is remembered with all of its buckets. SDKs keep 160, and lower the scale for more as is done here.
    while found.buckets.count > OTLPLimits.buckets, found.scale > ExponentialBuckets.coarsestScale {
      found.lower(to: found.scale - 1)
    }
    return found
  }

  private static func spans(
    _ histogram: ExponentialBuckets, zeroUpTo threshold: Double, _ factor: Double
  ) throws(OTLPRefusal) -> [Span] {
    var spans: [Span] = []
    if histogram.zeros > 0 { spans.append(Span(low: 0, high: threshold * factor, count: histogram.zeros)) }
    for bucket in histogram.buckets {
      let edges = histogram.edges(of: bucket.index)
      let high = edges.high * factor <= Limits.value ? edges.high * factor : .infinity
      spans.append(Span(low: edges.low * factor, high: high, count: bucket.count))
    }
    return spans
  }
}

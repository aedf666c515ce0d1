internal import OTLPMessages
internal import Telemetry

extension OTLPBuckets {
  /// Buckets between explicit bounds as spans. Plumb's values are never negative, so the first bucket begins at 0 where
  /// OTLP's begins at −∞.
  ///
  /// OTLP's buckets hold their upper bound, spans their lower one: a value exactly on a bound is counted in the span that
  /// ends there. No percentile moves by more than its stated error.
  init(_ point: OTLPHistogramDataPoint, factor: Double) throws(OTLPRefusal) {
    self.init(value: .spans([]))
    if point.bucketCounts.isEmpty, point.explicitBounds.isEmpty {
      count = try Self.count(point.count)
      if count > 0 { value = .spans([Span(low: 0, high: .infinity, count: count)]) }
      return
    }
    try Self.check(point)
    let mayBeNegative = point.hasMin && point.min < 0
    var spans: [Span] = []
    for (place, number) in point.bucketCounts.enumerated() where number > 0 {
      let count = try Self.count(number)
      let low = place > 0 ? point.explicitBounds[place - 1] : -.infinity
      let high = place < point.explicitBounds.count ? point.explicitBounds[place] : .infinity
      if high < 0 || (low < 0 && high == 0 && mayBeNegative) {
        negative = negative.saturatingAdd(count)
        continue
      }
      self.count = self.count.saturatingAdd(count)
      guard low < .infinity else { throw OTLPRefusal("a bucket with values begins at infinity") }
      spans.append(Span(low: try Self.edge(low, factor), high: try Self.edge(high, factor), count: count))
    }
    value = .spans(spans)
  }

  private static func check(_ point: OTLPHistogramDataPoint) throws(OTLPRefusal) {
    let bounds = point.explicitBounds
    guard point.bucketCounts.count == bounds.count + 1 else {
      throw OTLPRefusal("\(bounds.count) explicitBounds need \(bounds.count + 1) bucketCounts")
    }
    guard bounds.count < OTLPLimits.bounds else {
      throw OTLPRefusal("a histogram may have at most \(OTLPLimits.bounds) buckets")
    }
    for place in bounds.indices {
      guard bounds[place] > (place > 0 ? bounds[place - 1] : -.infinity) else {
        throw OTLPRefusal("explicitBounds must ascend")
      }
    }
  }
}

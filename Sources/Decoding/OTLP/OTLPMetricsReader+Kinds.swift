internal import OTLPMessages
internal import Telemetry

extension OTLPMetricsReader {
  /// A monotonic sum counts; any other is a level that may fall, such as the length of a queue.
  mutating func read(_ sum: OTLPSum, of metric: OTLPMetric, _ place: Place) throws(OTLPRefusal) {
    try Self.check(sum.aggregationTemporality)
    guard sum.isMonotonic else {
      guard sum.aggregationTemporality == .cumulative else {
        throw OTLPRefusal("a change of a Sum that is not monotonic is no level: send it cumulative, or as a Gauge")
      }
      return try read(levels: sum.dataPoints, of: metric, place)
    }
    let meaning = try OTLPMeaning(name: metric.name, unit: metric.unit, .counter)
    guard !meaning.isCounterSample || sum.aggregationTemporality == .delta else {
      throw OTLPRefusal("is one value per device and day here: send it as a Gauge, or with delta temporality")
    }
    for point in sum.dataPoints {
      add(meaning, of: metric, place, point, sum.aggregationTemporality) { () throws(OTLPRefusal) in
        let value = try Self.number(point, meaning.factor)
        return OTLPPointValue(value: meaning.isCounterSample ? .samples([value]) : .counter(value))
      }
    }
  }

  /// Each value is a sample.
  mutating func read(
    levels points: [OTLPNumberDataPoint], of metric: OTLPMetric, _ place: Place
  ) throws(OTLPRefusal) {
    let meanings = try (
      whole: OTLPMeaning(name: metric.name, unit: metric.unit, .level(isWhole: true)),
      any: OTLPMeaning(name: metric.name, unit: metric.unit, .level(isWhole: false))
    )
    for point in points {
      var meaning = meanings.any
      if case .asInt? = point.value { meaning = meanings.whole }
      add(meaning, of: metric, place, point) { () throws(OTLPRefusal) in
        OTLPPointValue(value: .samples([try Self.number(point, meaning.factor)]))
      }
    }
  }

  mutating func read(_ histogram: OTLPHistogram, of metric: OTLPMetric, _ place: Place) throws(OTLPRefusal) {
    try Self.check(histogram.aggregationTemporality)
    let meaning = try OTLPMeaning(name: metric.name, unit: metric.unit, .buckets)
    for point in histogram.dataPoints {
      add(meaning, of: metric, place, point, histogram.aggregationTemporality) { () throws(OTLPRefusal) in
        let buckets = try OTLPBuckets(point, factor: meaning.factor)
        return Self.whole(
          buckets, histogram.aggregationTemporality,
          buckets.extent(
            count: point.count, sum: point.hasSum ? point.sum : nil, minimum: point.hasMin ? point.min : nil,
            maximum: point.hasMax ? point.max : nil, factor: meaning.factor))
      }
    }
  }

  mutating func read(
    _ histogram: OTLPExponentialHistogram, of metric: OTLPMetric, _ place: Place
  ) throws(OTLPRefusal) {
    try Self.check(histogram.aggregationTemporality)
    let meaning = try OTLPMeaning(name: metric.name, unit: metric.unit, .buckets)
    for point in histogram.dataPoints {
      add(meaning, of: metric, place, point, histogram.aggregationTemporality) { () throws(OTLPRefusal) in
        let buckets = try OTLPBuckets(point, factor: meaning.factor)
        return Self.whole(
          buckets, histogram.aggregationTemporality,
          buckets.extent(
            count: point.count, sum: point.hasSum ? point.sum : nil, minimum: point.hasMin ? point.min : nil,
            maximum: point.hasMax ? point.max : nil, factor: meaning.factor))
      }
    }
  }

  /// What came since the last point may be cut to its own ends; of a cumulative point only the store knows what is new,
  /// and the edges of its buckets must stay what they were.
  private static func whole(
    _ buckets: OTLPBuckets, _ temporality: OTLPAggregationTemporality, _ extent: Extent?
  ) -> OTLPPointValue {
    let value = temporality == .cumulative ? buckets.value : buckets.value.narrowed(to: extent)
    return OTLPPointValue(value: value, extent: extent, negative: buckets.negative)
  }

  private static func check(_ temporality: OTLPAggregationTemporality) throws(OTLPRefusal) {
    guard temporality == .delta || temporality == .cumulative else {
      throw OTLPRefusal("aggregationTemporality must be 1 (delta) or 2 (cumulative)")
    }
  }

  /// A value in canonical units.
  private static func number(_ point: OTLPNumberDataPoint, _ factor: Double) throws(OTLPRefusal) -> Double {
    let written: Double
    switch point.value {
    case .asInt(let number): written = Double(number)
    case .asDouble(let number): written = number
    case nil: throw OTLPRefusal("a point has neither asInt nor asDouble")
    }
    let value = written * factor
    guard value.isFinite else { throw OTLPRefusal("a value is not finite") }
    guard value >= 0 else { throw OTLPRefusal("a value is below 0: \(written)") }
    guard value <= Limits.value else { throw OTLPRefusal("a value lies beyond 10^15 in the metric's own unit") }
    return value
  }
}

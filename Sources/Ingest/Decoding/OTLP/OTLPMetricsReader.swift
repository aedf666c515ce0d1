internal import Core

/// Converts an `ExportMetricsServiceRequest` into reports, one per origin. A metric or point that cannot be stored is
/// counted as rejected.
struct OTLPMetricsReader {
  let context: DecodingContext
  let quota: DecodingQuota
  var collection = OTLPReports()

  init(context: DecodingContext, quota: DecodingQuota) {
    self.context = context
    self.quota = quota
  }

  mutating func read(_ request: OTLPExportMetricsServiceRequest) {
    // Parts, scopes and metrics without points are skipped, because a hostile request can have one in every two bytes.
    for part in request.resourceMetrics where part.pointCount > 0 {
      let origin = OTLPOrigin(part.resource.attributes, context)
      // Hashed once for all cumulative metrics, and not for others.
      var ofResource: OTLPStreamIdentity?
      for scope in part.scopeMetrics where scope.pointCount > 0 {
        var ofScope: OTLPStreamIdentity?
        for metric in scope.metrics where metric.pointCount > 0 {
          if metric.isCumulative, ofScope == nil {
            ofResource = ofResource ?? OTLPStreamIdentity(resource: part.resource)
            ofScope = ofResource?.of(scope.scope)
          }
          read(metric, MetricSource(origin: origin, stream: metric.isCumulative ? ofScope?.of(metric) : nil))
        }
      }
    }
  }

  /// The origin of a metric's points, and their stream if they are cumulative.
  struct MetricSource {
    let origin: OTLPOrigin
    let stream: OTLPStreamIdentity?
  }

  private mutating func read(_ metric: OTLPMetric, _ source: MetricSource) {
    do throws(MetricRefusal) {
      switch metric.data {
      case .sum(let sum): try read(sum, of: metric, source)
      case .gauge(let gauge): try read(levels: gauge.dataPoints, of: metric, source)
      case .histogram(let histogram): try read(histogram, of: metric, source)
      case .exponentialHistogram(let histogram): try read(histogram, of: metric, source)
      case .summary:
        throw MetricRefusal("a Summary has quantiles, which cannot be merged; send a Histogram")
      case nil: break
      }
    } catch {
      collection.reject("\(metric.shownName): \(error.message)", count: metric.pointCount)
    }
  }

  /// Adds a point's measurement to its origin's report, or counts the point as rejected.
  mutating func add(
    _ meaning: MetricMapping, of metric: OTLPMetric, _ source: MetricSource, _ point: some OTLPPoint,
    _ temporality: OTLPAggregationTemporality? = nil, _ read: () throws(MetricRefusal) -> OTLPPointValue
  ) {
    // Bit 0 of `flags` means that no value was recorded.
    if point.flags & 1 != 0 { return }
    do {
      guard quota.take(.measurements) else { throw MetricRefusal(DecodingQuota.tooMany(.measurements)) }
      let kept = try read()
      guard quota.take(.values, kept.value.parts) else { throw MetricRefusal(DecodingQuota.tooMany(.values)) }
      let isAssumed = point.timeUnixNano == 0
      let time = isAssumed ? context.received : context.instant(nanoseconds: point.timeUnixNano)
      var reading = Measurement(
        meaning.reference, label: OTLPLabel.of(context.labelling(point.attributes), for: meaning),
        at: .instant(time), kept.value, extent: kept.extent)
      if meaning.isOwn || !reading.label.isEmpty, !quota.take(.series) {
        throw MetricRefusal(DecodingQuota.tooMany(.series))
      }
      if let stream = source.stream, temporality == .cumulative {
        reading.accumulation = CumulativeStream(
          stream: stream.point(point.attributes, start: point.startTimeUnixNano),
          // Kept as sent, however wrong the clock is, because the start is part of the stream's name.
          start: Timestamp(milliseconds: Int64(point.startTimeUnixNano / 1_000_000)))
      }
      let change = { (report: inout Report) in
        if !kept.value.isEmpty { report.measurements.append(reading) }
        report.rejectedSamples = report.rejectedSamples.saturatingAdd(kept.negative)
        if meaning.isUnitGuessed { report.unknownUnits += 1 }
        if isAssumed { report.assumedTimes += 1 }
      }
      // Without a copy of the origin, which has ten texts.
      if context.attributes.isEmpty { return try collection.update(source.origin, change) }
      try collection.update(source.origin.of(point: point.attributes, context), change)
    } catch let refusal as MetricRefusal {
      collection.reject("\(metric.shownName): \(refusal.message)")
    } catch {
      collection.reject("\(metric.shownName): \(error)")
    }
  }
}

/// The value of a point, converted to the stored unit.
struct OTLPPointValue {
  var value: Measurement.Value
  var extent: Extent?
  /// The number of a point's values below 0. They are left out.
  var negative = 0
}

/// The members that all kinds of points have.
protocol OTLPPoint {
  var attributes: [OTLPKeyValue] { get }
  var startTimeUnixNano: UInt64 { get }
  var timeUnixNano: UInt64 { get }
  var flags: UInt32 { get }
}

extension OTLPNumberDataPoint: OTLPPoint {}
extension OTLPHistogramDataPoint: OTLPPoint {}
extension OTLPExponentialHistogramDataPoint: OTLPPoint {}

extension OTLPResourceMetrics {
  /// The number of points in all of the resource's metrics.
  var pointCount: Int { scopeMetrics.reduce(0) { $0 + $1.pointCount } }
}

extension OTLPScopeMetrics {
  /// The number of points in all of the scope's metrics.
  var pointCount: Int { metrics.reduce(0) { $0 + $1.pointCount } }
}

extension OTLPMetric {
  /// The number of the metric's points, whether sums, gauges or histograms.
  var pointCount: Int {
    switch data {
    case .sum(let sum): sum.dataPoints.count
    case .gauge(let gauge): gauge.dataPoints.count
    case .histogram(let histogram): histogram.dataPoints.count
    case .exponentialHistogram(let histogram): histogram.dataPoints.count
    case .summary(let summary): summary.dataPoints.count
    case nil: 0
    }
  }

  /// Whether each point continues the one before it in its stream.
  var isCumulative: Bool {
    switch data {
    case .sum(let sum): sum.aggregationTemporality == .cumulative
    case .histogram(let histogram): histogram.aggregationTemporality == .cumulative
    case .exponentialHistogram(let histogram): histogram.aggregationTemporality == .cumulative
    case .gauge, .summary, nil: false
    }
  }

  /// The metric's name, cleaned and quoted for messages.
  var shownName: String { OTLPJSON.quoted(name.kept) }
}

extension Measurement.Value {
  /// The number of samples or buckets of a measurement.
  fileprivate var parts: Int {
    switch self {
    case .spans(let spans): spans.count
    case .exponential(let buckets): buckets.buckets.count
    case .samples(let samples): samples.count
    case .counter: 1
    }
  }

  /// Whether a histogram has no values and need not be stored.
  var isEmpty: Bool {
    switch self {
    case .spans(let spans): spans.isEmpty
    case .exponential(let buckets): buckets.zeros == 0 && buckets.buckets.isEmpty
    case .samples, .counter: false
    }
  }
}

extension DecodingContext {
  /// An OTLP time in nanoseconds since 1970.
  func instant(nanoseconds: UInt64) -> Timestamp {
    clamp(Timestamp(milliseconds: Int64(nanoseconds / 1_000_000)))
  }
}

extension OTLPMetricsReader {
  /// Reads a sum. A monotonic sum is a counter. Any other is a level that may fall, such as the length of a queue.
  mutating func read(_ sum: OTLPSum, of metric: OTLPMetric, _ source: MetricSource) throws(MetricRefusal) {
    try Self.check(sum.aggregationTemporality)
    guard sum.isMonotonic else {
      guard sum.aggregationTemporality == .cumulative else {
        throw MetricRefusal("a delta of a non-monotonic Sum cannot be stored; send it as cumulative or as a Gauge")
      }
      return try read(levels: sum.dataPoints, of: metric, source)
    }
    let meaning = try MetricMapping(name: metric.name, unit: ClientUnit(ucum: metric.unit), .counter)
    guard !meaning.isCounterSample || sum.aggregationTemporality == .delta else {
      throw MetricRefusal("the metric has one value per device and day; send it as a Gauge or with delta temporality")
    }
    for point in sum.dataPoints {
      add(meaning, of: metric, source, point, sum.aggregationTemporality) { () throws(MetricRefusal) in
        let value = try Self.number(point, meaning.factor)
        return OTLPPointValue(value: meaning.isCounterSample ? .samples([value]) : .counter(value))
      }
    }
  }

  /// Reads single values, each stored as a sample.
  mutating func read(
    levels points: [OTLPNumberDataPoint], of metric: OTLPMetric, _ source: MetricSource
  ) throws(MetricRefusal) {
    let meanings = try (
      whole: MetricMapping(name: metric.name, unit: ClientUnit(ucum: metric.unit), .level(isWhole: true)),
      any: MetricMapping(name: metric.name, unit: ClientUnit(ucum: metric.unit), .level(isWhole: false))
    )
    for point in points {
      var meaning = meanings.any
      if case .asInt? = point.value { meaning = meanings.whole }
      add(meaning, of: metric, source, point) { () throws(MetricRefusal) in
        OTLPPointValue(value: .samples([try Self.number(point, meaning.factor)]))
      }
    }
  }

  mutating func read(_ histogram: OTLPHistogram, of metric: OTLPMetric, _ source: MetricSource) throws(MetricRefusal) {
    try Self.check(histogram.aggregationTemporality)
    let meaning = try MetricMapping(name: metric.name, unit: ClientUnit(ucum: metric.unit), .buckets)
    for point in histogram.dataPoints {
      add(meaning, of: metric, source, point, histogram.aggregationTemporality) { () throws(MetricRefusal) in
        let buckets = try OTLPHistogramValues(point, factor: meaning.factor)
        return Self.whole(
          buckets, histogram.aggregationTemporality,
          buckets.extent(
            count: point.count, sum: point.sum, minimum: point.min, maximum: point.max, factor: meaning.factor))
      }
    }
  }

  mutating func read(
    _ histogram: OTLPExponentialHistogram, of metric: OTLPMetric, _ source: MetricSource
  ) throws(MetricRefusal) {
    try Self.check(histogram.aggregationTemporality)
    let meaning = try MetricMapping(name: metric.name, unit: ClientUnit(ucum: metric.unit), .buckets)
    for point in histogram.dataPoints {
      add(meaning, of: metric, source, point, histogram.aggregationTemporality) { () throws(MetricRefusal) in
        let buckets = try OTLPHistogramValues(point, factor: meaning.factor)
        return Self.whole(
          buckets, histogram.aggregationTemporality,
          buckets.extent(
            count: point.count, sum: point.sum, minimum: point.min, maximum: point.max, factor: meaning.factor))
      }
    }
  }

  /// The buckets as a point's value. Those of a delta point are narrowed to its minimum and maximum. Those of a
  /// cumulative point keep their edges, because they are later compared with the stream's previous point.
  private static func whole(
    _ buckets: OTLPHistogramValues, _ temporality: OTLPAggregationTemporality, _ extent: Extent?
  ) -> OTLPPointValue {
    let value = temporality == .cumulative ? buckets.value : buckets.value.narrowed(to: extent)
    return OTLPPointValue(value: value, extent: extent, negative: buckets.negative)
  }

  private static func check(_ temporality: OTLPAggregationTemporality) throws(MetricRefusal) {
    guard temporality == .delta || temporality == .cumulative else {
      throw MetricRefusal("aggregationTemporality must be 1 (delta) or 2 (cumulative)")
    }
  }

  /// A point's value in the stored unit. Throws if it is missing, negative or beyond `DecodingLimits.value`.
  private static func number(_ point: OTLPNumberDataPoint, _ factor: Double) throws(MetricRefusal) -> Double {
    let written: Double
    switch point.value {
    case .asInt(let number): written = Double(number)
    case .asDouble(let number): written = number
    case nil: throw MetricRefusal("a point has neither asInt nor asDouble")
    }
    let value = written * factor
    guard value.isFinite else { throw MetricRefusal("a value is not finite") }
    guard value >= 0 else { throw MetricRefusal("a value is below 0: \(written)") }
    guard value <= DecodingLimits.value else {
      throw MetricRefusal("a value is above 10^15 in the metric's unit")
    }
    return value
  }
}

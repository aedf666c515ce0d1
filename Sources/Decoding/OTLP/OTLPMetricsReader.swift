internal import OTLPMessages
internal import Telemetry

/// Turns an `ExportMetricsServiceRequest` into reports, one for each origin. A metric or point that cannot be kept is
/// counted, and the rest stays.
struct OTLPMetricsReader {
  let context: DecodingContext
  var collection = OTLPCollection()

  init(context: DecodingContext) { self.context = context }

  mutating func read(_ request: OTLPExportMetricsServiceRequest) {
    for part in request.resourceMetrics {
      let origin = OTLPOrigin(part.resource.attributes)
      let stream = OTLPStream(resource: part.resource)
      for scope in part.scopeMetrics {
        let stream = stream.of(scope.scope)
        for metric in scope.metrics { read(metric, Place(origin: origin, stream: stream.of(metric))) }
      }
    }
  }

  /// Where a metric stands.
  struct Place {
    let origin: OTLPOrigin
    let stream: OTLPStream
  }

  private mutating func read(_ metric: OTLPMetric, _ place: Place) {
    do throws(OTLPRefusal) {
      switch metric.data {
      case .sum(let sum): try read(sum, of: metric, place)
      case .gauge(let gauge): try read(levels: gauge.dataPoints, of: metric, place)
      case .histogram(let histogram): try read(histogram, of: metric, place)
      case .exponentialHistogram(let histogram): try read(histogram, of: metric, place)
      case .summary:
        throw OTLPRefusal("a Summary holds quantiles, which cannot be added up: send a Histogram")
      case nil: break
      }
    } catch {
      collection.reject("\(metric.shownName): \(error.message)", count: metric.pointCount)
    }
  }

  /// Adds the reading of a point to the report of its origin; a refused point is counted.
  mutating func add(
    _ meaning: OTLPMeaning, of metric: OTLPMetric, _ place: Place, _ point: some OTLPPoint,
    _ temporality: OTLPAggregationTemporality? = nil, _ read: () throws(OTLPRefusal) -> OTLPPointValue
  ) {
    // Bit 0: no value was recorded.
    if point.flags & 1 != 0 { return }
    do {
      let kept = try read()
      let isAssumed = point.timeUnixNano == 0
      let time = isAssumed ? context.received : context.instant(nanoseconds: point.timeUnixNano)
      var reading = Reading(
        meaning.reference, label: OTLPLabel.of(point.attributes, for: meaning.metric), at: .instant(time), kept.value,
        extent: kept.extent)
      if temporality == .cumulative {
        reading.accumulation = Accumulation(
          stream: place.stream.point(point.attributes, start: point.startTimeUnixNano),
          start: context.instant(nanoseconds: point.startTimeUnixNano))
      }
      try collection.update(place.origin) { report in
        if !kept.value.isEmpty { report.readings.append(reading) }
        report.rejectedSamples += kept.negative
        if meaning.isUnitGuessed { report.unknownUnits += 1 }
        if isAssumed { report.assumedTimes += 1 }
      }
    } catch let refusal as OTLPRefusal {
      collection.reject("\(metric.shownName): \(refusal.message)")
    } catch {
      collection.reject("\(metric.shownName): \(error)")
    }
  }
}

/// What a point comes to.
struct OTLPPointValue {
  var value: Reading.Value
  var extent: Extent?
  /// Values below 0 that were left out.
  var negative = 0
}

/// What points of every kind have.
protocol OTLPPoint {
  var attributes: [OTLPKeyValue] { get }
  var startTimeUnixNano: UInt64 { get }
  var timeUnixNano: UInt64 { get }
  var flags: UInt32 { get }
}

extension OTLPNumberDataPoint: OTLPPoint {}
extension OTLPHistogramDataPoint: OTLPPoint {}
extension OTLPExponentialHistogramDataPoint: OTLPPoint {}

extension OTLPMetric {
  /// Points of whatever kind.
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

  /// Its name, fit to be shown.
  var shownName: String { OTLPJSON.quoted(name.kept) }
}

extension Reading.Value {
  /// Buckets without values, which say nothing.
  var isEmpty: Bool {
    switch self {
    case .spans(let spans): spans.isEmpty
    case .exponential(let buckets): buckets.zeros == 0 && buckets.buckets.isEmpty
    case .samples, .counter: false
    }
  }
}

extension DecodingContext {
  /// An instant in nanoseconds since 1970, as OTLP writes it.
  func instant(nanoseconds: UInt64) -> Timestamp {
    clamp(Timestamp(milliseconds: Int64(nanoseconds / 1_000_000)))
  }
}

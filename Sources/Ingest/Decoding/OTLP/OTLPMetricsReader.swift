internal import Core

/// Converts an `ExportMetricsServiceRequest` into reports, one per origin. A metric or point that cannot be stored is
/// counted as rejected.
///
/// Every message is read once, when its turn comes, and points are read into the same memory one after the other.
struct OTLPMetricsReader: OTLPRequestReader {
  let context: DecodingContext
  let quota: DecodingQuota
  let storages: OTLPMetricStorages
  private(set) var collection = OTLPReports()

  init(context: DecodingContext, quota: DecodingQuota, storages: OTLPMetricStorages) {
    self.context = context
    self.quota = quota
    self.storages = storages
  }

  /// The point that is being read, of each kind.
  private struct Points {
    var number = OTLPNumberDataPoint()
    var histogram = OTLPHistogramDataPoint()
    var exponential = OTLPExponentialHistogramDataPoint()
  }

  mutating func read(_ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    var request = OTLPExportMetricsServiceRequest()
    try input.read(input.request, into: &request)
    var points = Points()
    for (index, part) in request.resourceMetrics.enumerated() {
      try OTLPFailure.inside("resourceMetrics", index) { () throws(OTLPFailure) in
        try read(part: part, &input, &points)
      }
    }
  }

  private mutating func read(
    part unread: OTLPUnreadMessage, _ input: inout some OTLPFieldReader, _ points: inout Points
  ) throws(OTLPFailure) {
    var part = OTLPResourceMetrics()
    try input.read(unread, into: &part)
    var source = OTLPMetricSource(part.resource)
    for (index, unread) in part.scopeMetrics.enumerated() {
      try OTLPFailure.inside("scopeMetrics", index) { () throws(OTLPFailure) in
        var scope = OTLPScopeMetrics()
        try input.read(unread, into: &scope)
        source.scope = scope.scope
        for (index, unread) in scope.metrics.enumerated() {
          try OTLPFailure.inside("metrics", index) { () throws(OTLPFailure) in
            var metric = OTLPMetric()
            try input.read(unread, into: &metric)
            try read(metric, &source, &input, &points)
          }
        }
      }
    }
  }

  private mutating func read(
    _ metric: OTLPMetric, _ source: inout OTLPMetricSource, _ input: inout some OTLPFieldReader, _ points: inout Points
  ) throws(OTLPFailure) {
    for data in metric.replaced { try read(data, of: metric, nil, &source, &input, &points) }
    if metric.data.points.isEmpty { return }
    var storage: OTLPMetricStorage?
    do throws(MetricRefusal) {
      storage = try storages.storage(of: metric)
    } catch {
      collection.reject("\(metric.shownName): \(error.message)", count: metric.data.points.count)
    }
    try read(metric.data, of: metric, storage, &source, &input, &points)
  }

  /// Reads the points of one kind. Without `storage` they are not stored, but a malformed one still refuses the request.
  private mutating func read(
    _ data: OTLPMetricData, of metric: OTLPMetric, _ storage: OTLPMetricStorage?, _ source: inout OTLPMetricSource,
    _ input: inout some OTLPFieldReader, _ points: inout Points
  ) throws(OTLPFailure) {
    guard let kind = data.kind else { return }
    let stream = storage?.temporality == .cumulative ? source.stream(of: metric) : nil
    try OTLPFailure.inside(kind.name, 0) { () throws(OTLPFailure) in
      for (index, unread) in data.points.enumerated() {
        try OTLPFailure.inside("dataPoints", index) { () throws(OTLPFailure) in
          switch kind {
          case .gauge, .sum: try read(unread, &points.number, of: metric, storage, stream, &source, &input)
          case .histogram: try read(unread, &points.histogram, of: metric, storage, stream, &source, &input)
          case .exponentialHistogram:
            try read(unread, &points.exponential, of: metric, storage, stream, &source, &input)
          case .summary:
            var point = OTLPSummaryDataPoint()
            try input.read(unread, into: &point)
          }
        }
      }
    }
  }

  @inline(__always)
  private mutating func read(
    _ unread: OTLPUnreadMessage, _ point: inout some OTLPPoint, of metric: OTLPMetric, _ storage: OTLPMetricStorage?,
    _ stream: OTLPStreamIdentity?, _ source: inout OTLPMetricSource, _ input: inout some OTLPFieldReader
  ) throws(OTLPFailure) {
    point.clear()
    try input.read(unread, into: &point)
    // Bit 0 of `flags` means that no value was recorded.
    guard let storage, point.flags & 1 == 0 else { return }
    do {
      try add(point, storage, stream, &source)
    } catch let refusal as MetricRefusal {
      collection.reject("\(metric.shownName): \(refusal.message)")
    } catch {
      collection.reject("\(metric.shownName): \(error)")
    }
  }

  /// Adds a point's measurement to its origin's report.
  private mutating func add(
    _ point: some OTLPPoint, _ storage: OTLPMetricStorage, _ stream: OTLPStreamIdentity?,
    _ source: inout OTLPMetricSource
  ) throws {
    guard quota.take(.measurements) else { throw MetricRefusal(DecodingQuota.tooMany(.measurements)) }
    let mapping = point.isWhole ? storage.whole : storage.mapping
    let kept = try point.value(storage)
    guard quota.take(.values, kept.value.partCount) else { throw MetricRefusal(DecodingQuota.tooMany(.values)) }
    let isAssumed = point.timeUnixNano == 0
    var reading = Measurement(
      mapping.reference, label: OTLPLabel.of(context.labelling(point.attributes), for: mapping),
      at: .instant(isAssumed ? context.received : context.instant(nanoseconds: point.timeUnixNano)), kept.value,
      extent: kept.extent)
    if mapping.isOwn || !reading.label.isEmpty, !quota.take(.series) {
      throw MetricRefusal(DecodingQuota.tooMany(.series))
    }
    if let stream {
      reading.accumulation = CumulativeStream(
        stream: stream.point(point.attributes, start: point.startTimeUnixNano),
        // Kept as sent, however wrong the clock is, because the start is part of the stream's name.
        start: Timestamp(milliseconds: Int64(point.startTimeUnixNano / 1_000_000)))
    }
    collection.update(at: try source.report(of: point.attributes, in: &collection, context)) { report in
      if !kept.value.isEmpty { report.measurements.append(reading) }
      report.rejectedSamples = report.rejectedSamples.saturatingAdd(kept.negative)
      if mapping.isUnitGuessed { report.unknownUnits += 1 }
      if isAssumed { report.assumedTimes += 1 }
    }
  }
}

/// The resource and scope of metrics. What is made of them is made for the first point that needs it, because a hostile
/// request can have a resource in every two bytes.
private struct OTLPMetricSource {
  private let resource: OTLPResource
  var scope = OTLPInstrumentationScope() {
    didSet { ofScope = nil }
  }
  private var origin: OTLPOrigin?
  private var report: Int?
  private var ofResource: OTLPStreamIdentity?
  private var ofScope: OTLPStreamIdentity?

  init(_ resource: OTLPResource) { self.resource = resource }

  /// The index of the report of a point with these attributes.
  mutating func report(
    of attributes: [OTLPKeyValue], in collection: inout OTLPReports, _ context: DecodingContext
  ) throws(DecodingFailure) -> Int {
    if let report { return report }
    let known = origin ?? OTLPOrigin(resource.attributes, context)
    origin = known
    // Only a point that may state attributes of the app can have another origin than the resource.
    if !context.attributes.isEmpty { return try collection.index(of: known.of(point: attributes, context)) }
    let index = try collection.index(of: known)
    report = index
    return index
  }

  /// The identity of a metric's cumulative streams.
  mutating func stream(of metric: OTLPMetric) -> OTLPStreamIdentity {
    let resourceIdentity = ofResource ?? OTLPStreamIdentity(resource: resource)
    ofResource = resourceIdentity
    let identity = ofScope ?? resourceIdentity.of(scope)
    ofScope = identity
    return identity.of(metric)
  }
}

extension OTLPMetric {
  /// The metric's name, cleaned and quoted for messages.
  var shownName: String { OTLPJSON.quoted(name.kept) }
}

extension Measurement.Value {
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

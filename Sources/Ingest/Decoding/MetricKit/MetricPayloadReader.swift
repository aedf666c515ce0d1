internal import Core

/// Reads an `MXMetricPayload`, the daily aggregate of iOS 13 to 26, with either number style ("1,000 ms", "1000 ms").
///
/// The catalogue maps keys to metrics (`Metric.metricKit`). A null member counts as absent. Unknown sections and
/// members are skipped.
struct MetricPayloadReader {
  let time: MeasurementTime
  private(set) var measurements: [Measurement] = []
  var rejectedSamples = 0
  var unknownUnits = 0
  /// The number of buckets in all histograms.
  var buckets = 0
  /// The number of measurements and series that the request may still contain. Measurements beyond it are counted but
  /// not built.
  private let room: Room
  private var readingsBeyond = 0
  private var series = 0

  private struct Room {
    let measurements: Int
    let series: Int

    init(_ quota: DecodingQuota) {
      measurements = quota.free(.measurements)
      series = quota.free(.series)
    }
  }

  static func report(
    of payload: JSONObject, _ context: DecodingContext, _ quota: DecodingQuota, _ names: SignpostNames
  ) throws -> Report {
    let header = try MetricPayloadHeader(payload, context)
    var reader = MetricPayloadReader(time: .day(header.day), room: Room(quota))
    // A payload of 9 KB has about seventy measurements. A tiny one must not allocate for them.
    reader.measurements.reserveCapacity(min(96, payload.value.size / 16))
    for (key, section) in payload where key.hasSuffix("Metrics") && !section.isNull {
      switch key {
      case "applicationExitMetrics": try reader.readExits(section.object())
      case "signpostMetrics": try reader.readSignposts(section.array(), names)
      default: if MetricSection.isKnown(key) { try reader.readSection(section.object()) }
      }
    }
    try quota.add(.measurements, reader.measurements.count + reader.readingsBeyond, at: payload.value)
    try quota.add(.series, reader.series, at: payload.value)
    try quota.add(.values, reader.buckets, at: payload.value)
    return Report(
      source: .metricKit, environment: header.environment, bundleID: header.bundleID, release: header.release,
      device: header.device, isMixedRelease: header.isMixedRelease, attributes: header.attributes,
      measurements: reader.measurements,
      rejectedSamples: reader.rejectedSamples, unknownUnits: reader.unknownUnits,
      assumedTimes: header.assumedTimes)
  }

  private init(time: MeasurementTime, room: Room) {
    self.time = time
    self.room = room
  }

  private mutating func readSection(_ section: JSONObject) throws {
    for (key, value) in section where !value.isNull {
      guard let field = MetricPayloadField.named(key) else { continue }
      switch field.shape {
      case .histogram:
        let spans = try readHistogram(value, field.format, isCensored: field.isCensored)
        if !spans.isEmpty { append(.known(field.metric), .spans(spans)) }
      case .sample:
        if let value = try readAverageOrMeasurement(value, field.format) {
          append(.known(field.metric), .samples([value]))
        }
      case .counter:
        if let value = try measure(value, field.format) { append(.known(field.metric), .counter(value)) }
      }
    }
  }

  mutating func append(_ metric: consuming MetricReference, _ value: consuming Measurement.Value) {
    if metric.isOwn { series += 1 }
    guard measurements.count < room.measurements, series <= room.series else { return readingsBeyond += 1 }
    measurements.append(Measurement(metric, at: time, value))
  }

  /// A measurement in the format's unit; nil if the value is invalid, which counts it as rejected.
  mutating func measure(_ value: JSONValue, _ format: MeasurementFormat) throws -> Double? {
    let measured: ParsedMeasurement?
    switch value.kind {
    case .string:
      let text = try value.text()
      if let plain = PlainMeasurement.whole(text, format), plain <= DecodingLimits.value { return plain }
      measured = ParsedMeasurement(text, format)
    case .integer, .double: measured = try ParsedMeasurement(bare: value.number(), format)
    default: throw value.mismatch("a string such as \"20 ms\"")
    }
    guard let measured, measured.value >= 0, measured.value <= DecodingLimits.value else {
      rejectedSamples += 1
      return nil
    }
    if measured.isAssumed { unknownUnits += 1 }
    return measured.value
  }

  /// A measurement such as "100 kB", or an average with deviation and number of samples. A deviation of −1 or 0 samples
  /// means no data and returns nil.
  mutating func readAverageOrMeasurement(_ value: JSONValue, _ format: MeasurementFormat) throws -> Double? {
    guard value.kind == .object else { return try measure(value, format) }
    let average = try value.object()
    let samples = try average["sampleCount"]?.number()
    let deviation = try average["standardDeviation"]?.number()
    // LCD screens report a luminance of {0 apl, deviation −1, 0 samples}.
    if samples == 0 || deviation == -1 { return nil }
    return try measure(average.required("averageValue"), format)
  }
}

extension MetricPayloadReader {
  /// The lower edge of the last bucket of hang durations, in milliseconds. That bucket also counts all longer hangs.
  private static let censoredFrom = 9000.0

  /// Reads the buckets of `{"histogramNumBuckets": …, "histogramValue": {"0": {…}, …}}` in ascending order. The
  /// document lists them in random order and omits empty ones.
  mutating func readHistogram(_ value: JSONValue, _ format: MeasurementFormat, isCensored: Bool = false) throws
    -> [Span]
  {
    guard let list = try value.object()["histogramValue"] else { return [] }
    var spans: [Span] = []
    if list.kind == .array {
      for bucket in try list.array() { try append(bucket, to: &spans, format) }
    } else {
      let members = try list.object()
      spans.reserveCapacity(min(16, list.size / 8))
      for (_, bucket) in members { try append(bucket, to: &spans, format) }
    }
    buckets += spans.count
    Self.sort(&spans)
    Self.close(&spans, isCensored: isCensored)
    return spans
  }

  private mutating func append(_ bucket: JSONValue, to spans: inout [Span], _ format: MeasurementFormat) throws {
    var start: JSONValue?
    var end: JSONValue?
    var count: JSONValue?
    let members = try bucket.object()
    for (key, value) in members {
      switch key {
      case "bucketStart": start = value
      case "bucketEnd": end = value
      case "bucketCount": count = value
      default: break
      }
    }
    guard let start else { throw members.missing("bucketStart") }
    guard let end else { throw members.missing("bucketEnd") }
    guard let count else { throw members.missing("bucketCount") }
    guard let count = try self.count(count), let low = try measure(start, format), let high = try measure(end, format)
    else { return }
    if high < low {
      rejectedSamples += 1
    } else if count > 0 {
      spans.append(Span(low: low, high: high, count: count))
    }
  }

  /// A count of events; nil if the value is invalid, which counts it as rejected.
  mutating func count(_ value: JSONValue) throws -> Int? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    guard let count = value.integerOrNil, count >= 0, Double(count) <= DecodingLimits.count else {
      rejectedSamples += 1
      return nil
    }
    return count
  }

  private static func sort(_ spans: inout [Span]) {
    func isAscending(_ left: Span, _ right: Span) -> Bool {
      left.low != right.low ? left.low < right.low : left.high < right.high
    }
    for index in spans.indices.dropFirst() where isAscending(spans[index], spans[index - 1]) {
      spans.sort(by: isAscending)
      return
    }
  }

  /// Replaces inclusive ends (820…829, 830…839) with the next bucket's start, and removes the upper edge of the
  /// censored bucket.
  private static func close(_ spans: inout [Span], isCensored: Bool) {
    for index in spans.indices {
      let span = spans[index]
      if index + 1 < spans.count, span.low < span.high, spans[index + 1].low == span.high + 1 {
        spans[index].high = span.high + 1
      }
      if isCensored, span.low >= censoredFrom { spans[index].high = .infinity }
    }
  }
}

/// The sections of an `MXMetricPayload` whose members are catalogue metrics. Other sections are skipped, because a
/// later iOS may reuse a key with another meaning.
enum MetricSection {
  static func isKnown(_ key: BorrowedJSONString) -> Bool {
    switch key {
    case "applicationTimeMetrics", "applicationLaunchMetrics", "applicationResponsivenessMetrics", "memoryMetrics",
      "cpuMetrics", "gpuMetrics", "diskIOMetrics", "networkTransferMetrics", "displayMetrics",
      "cellularConditionMetrics", "locationActivityMetrics", "animationMetrics", "diskSpaceUsageMetrics":
      true
    default: false
    }
  }
}

/// The day, release, device and environment of an `MXMetricPayload`.
private struct MetricPayloadHeader {
  let day: CalendarDay
  private(set) var environment = "production"
  private(set) var bundleID: String?
  private(set) var release = Release(version: "")
  private(set) var device = Device(model: "", system: OperatingSystem(name: "", version: ""))
  private(set) var isMixedRelease = false
  /// The app's attributes, from a member `attributes` that a client added and, without a value there, from the region.
  private(set) var attributes: [AppAttribute] = []
  private(set) var assumedTimes = 0

  init(_ payload: JSONObject, _ context: DecodingContext) throws {
    var begin: JSONValue?
    var end: JSONValue?
    var metaData: JSONValue?
    var signposts: JSONValue?
    for (key, value) in payload where !value.isNull {
      switch key {
      case "appVersion": release.version = try value.text().kept
      case "metaData": metaData = value
      case "timeStampBegin": begin = value
      case "timeStampEnd": end = value
      case "multipleAppVersions", "includesMultipleApplicationVersions": isMixedRelease = try Self.isTrue(value)
      case "signpostMetrics": signposts = value
      default: break
      }
    }
    if let stated = try PayloadDay.day(begin: begin, end: end) {
      day = context.clamp(stated)
      if day != stated { assumedTimes += 1 }
    } else {
      day = context.today
      assumedTimes += 1
    }
    if let metaData { try readMetaData(metaData.object(), context) }
    attributes = context.attributes(in: payload["attributes"]?.objectOrNil).completed(by: attributes)
    if isMixedRelease { release = .mixed }
    if let signposts, try SimulatedPayloadDetection.isSimulated(signposts: signposts.array()) {
      environment = "simulated"
    }
  }

  private mutating func readMetaData(_ metaData: JSONObject, _ context: DecodingContext) throws {
    for (key, value) in metaData where !value.isNull {
      switch key {
      case "appBuildVersion": release.build = try value.text().kept
      case "appVersion" where release.version.isEmpty: release.version = try value.text().kept
      case "osVersion": device.system = try OperatingSystem(parsing: value.text().kept)
      case "deviceType": device.model = try value.text().kept
      case "bundleIdentifier": bundleID = try value.text().kept
      case "isTestFlightApp" where try Self.isTrue(value): environment = "testflight"
      case "regionFormat": attributes = context.region(value.textOrNil?.kept)
      default: break
      }
    }
  }

  /// Parses a boolean. iOS writes the string "1"; other clients write true or 1.
  private static func isTrue(_ value: JSONValue) throws -> Bool {
    switch value.kind {
    case .boolean: return try value.boolean()
    case .integer, .double: return try value.number() != 0
    case .string:
      switch try value.text() {
      case "1", "true", "True", "TRUE", "yes", "Yes", "YES": return true
      default: return false
      }
    default: throw value.mismatch("true or false")
    }
  }
}

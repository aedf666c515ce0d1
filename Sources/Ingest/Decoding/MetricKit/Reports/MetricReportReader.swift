internal import Core

/// Reads a `MetricReport`, the daily aggregate of iOS 27.
///
/// Only the longest interval is read, because the others repeat parts of it. Values of an app-defined state
/// (`stateEntries`) also repeat parts of it. They become custom metrics `state.<domain>.<metric>` with the state as
/// label. States of one domain add up; states of different domains overlap.
///
/// Apple does not document this JSON. A value of unexpected form is counted as rejected, and the rest is kept.
struct MetricReportReader {
  let time: MeasurementTime
  private(set) var measurements: [Measurement] = []
  /// The number of buckets in all histograms.
  var buckets = 0
  /// The number of measurements and series that the request may still contain. Measurements beyond it are counted but
  /// not built.
  private let room: Room
  let names: SignpostNames
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
  var rejectedSamples = 0
  var unknownUnits = 0
  /// The app-defined state of the current entry; nil outside `stateEntries`.
  var state: ReportState?
  /// The labels of the states of each domain that is one of the app's attributes, up to two.
  private var labels: [String: Set<String>] = [:]
  /// Whether all signposts so far were the two of Xcode's simulated payloads; nil before the first.
  var hasOnlyTestSignposts: Bool?

  static func report(
    of document: JSONObject, _ defaults: EnvelopeDefaults, _ context: DecodingContext, _ quota: DecodingQuota,
    _ names: SignpostNames
  ) throws -> Report {
    let stated = try ReportDay.day(document["timeRange"]?.object(), context)
    var reader = MetricReportReader(time: .day(stated ?? context.today), room: Room(quota), names: names)
    if let entries = document["intervalEntries"], let entry = try longest(of: entries.array()) {
      try reader.readValues(of: entry)
    }
    if let entries = document["stateEntries"] {
      for entry in try entries.array() where !entry.isNull { try reader.readState(entry.object(), context) }
    }
    try quota.add(.measurements, reader.measurements.count + reader.readingsBeyond, at: document.value)
    try quota.add(.series, reader.series, at: document.value)
    try quota.add(.values, reader.buckets, at: document.value)
    var origin = DiagnosticOrigin()
    if let environment = document["environment"] {
      for (key, value) in try environment.object() where !value.isNull {
        if key == "regionFormat" { origin.attributes = context.region(value.textOrNil?.kept) }
        _ = try origin.read(key, value)
      }
    }
    // A day in one state gets that state. A day in several gets none, because its values cannot be divided.
    let states = context.attributes.compactMap { name in
      reader.labels[name].flatMap { $0.count == 1 ? $0.first : nil }.flatMap { AppAttribute(name: name, value: $0) }
    }
    origin.attributes = states.completed(by: origin.attributes)
    origin.fill(from: defaults.insideDocument(document))
    if reader.hasOnlyTestSignposts == true { origin.environment = "simulated" }
    var report = origin.report
    report.measurements = reader.measurements
    report.rejectedSamples = reader.rejectedSamples
    report.unknownUnits = reader.unknownUnits
    report.assumedTimes = stated == nil ? 1 : 0
    return report
  }

  private init(time: MeasurementTime, room: Room, names: SignpostNames) {
    self.time = time
    self.room = room
    self.names = names
  }

  private static func longest(of entries: JSONArray) throws -> JSONObject? {
    var longest: (entry: JSONObject, seconds: Double)?
    for element in entries where !element.isNull {
      let entry = try element.object()
      let seconds = try entry["duration"].flatMap { try MeasuredQuantity($0, .seconds)?.value } ?? 0
      if longest.map({ seconds > $0.seconds }) ?? true { longest = (entry, seconds) }
    }
    return longest?.entry
  }

  private mutating func readState(_ entry: JSONObject, _ context: DecodingContext) throws {
    state = try entry["state"].map { try ReportState($0.object()) } ?? ReportState()
    if let state, let domain = state.domainName, context.attributes.contains(domain), labels[domain]?.count ?? 0 < 2 {
      labels[domain, default: []].insert(state.label)
    }
    try readValues(of: entry)
    state = nil
  }

  /// Reads `values`, an array of objects with one member each. The member's key is the metric's.
  private mutating func readValues(of entry: JSONObject) throws {
    guard let values = entry["values"] else { return }
    for element in try values.array() where !element.isNull {
      for (key, value) in try element.object() where !value.isNull { try readMetric(key, value) }
    }
  }

  mutating func append(_ metric: MetricReference, label: String = "", _ value: Measurement.Value) {
    if metric.isOwn || !label.isEmpty || state != nil { series += 1 }
    guard measurements.count < room.measurements, series <= room.series else { return readingsBeyond += 1 }
    guard let state else { return measurements.append(Measurement(metric, label: label, at: time, value)) }
    let name = state.name(of: metric)
    measurements.append(
      Measurement(.custom(name: name, unit: metric.unit, kind: metric.kind), label: state.label, at: time, value))
  }

  mutating func append(_ name: String, _ value: Measurement.Value, label: String = "") {
    append(MetricReference(name: name, unit: .count, kind: .counter), label: label, value)
  }

  /// A number converted to `unit`; nil without one, which counts it as rejected.
  mutating func quantity(_ value: JSONValue?, _ unit: MetricUnit, isInstructions: Bool = false) throws -> Double? {
    guard let value, let found = try MeasuredQuantity(value, unit, isInstructions: isInstructions) else {
      rejectedSamples += 1
      return nil
    }
    if found.isAssumed { unknownUnits += 1 }
    return found.value
  }
}

extension MetricReportReader {
  /// The lower edge of the last bucket of hang durations, in milliseconds. That bucket also counts all longer hangs.
  private static let censoredFrom = 9000.0

  /// Reads `{"histogram": {"buckets": [{"lowerBound": …, "upperBound": …, "count": 5}]}}`, with or without the outer
  /// objects.
  mutating func readHistogram(_ metric: MetricReference, _ value: JSONValue) throws {
    var holder = value
    for _ in 0..<3 {
      guard let object = holder.objectOrNil, let inner = object["histogram"] ?? object["value"] ?? object["buckets"]
      else { break }
      holder = inner
    }
    guard let buckets = holder.arrayOrNil else { return rejectedSamples += 1 }
    var spans: [Span] = []
    for bucket in buckets where !bucket.isNull {
      if let span = try span(bucket, metric) { spans.append(span) }
    }
    self.buckets += spans.count
    guard !spans.isEmpty else { return }
    spans.sort { $0.low != $1.low ? $0.low < $1.low : $0.high < $1.high }
    append(metric, .spans(spans))
  }

  /// A bucket as a span; nil if it is empty or invalid. Without an upper bound it is open-ended.
  private mutating func span(_ bucket: JSONValue, _ metric: MetricReference) throws -> Span? {
    guard let bucket = bucket.objectOrNil, let number = bucket["count"]?.numberOrNil, number >= 0,
      number <= DecodingLimits.count, let count = Int(exactly: number)
    else {
      rejectedSamples += 1
      return nil
    }
    if count == 0 { return nil }
    guard let low = try quantity(bucket["lowerBound"], metric.unit) else { return nil }
    var high = Double.infinity
    if let bound = bucket["upperBound"] {
      guard let number = try quantity(bound, metric.unit) else { return nil }
      high = number
    }
    guard high >= low else {
      rejectedSamples += 1
      return nil
    }
    if metric.name == "hang.duration", low >= Self.censoredFrom { high = .infinity }
    return Span(low: low, high: high, count: count)
  }
}

/// A state that an app reported: a label such as `premium` in a domain such as `com.example.feature`.
struct ReportState {
  private(set) var label = ""
  /// The domain from the app; nil if not stated.
  private(set) var domainName: String?
  private var domain: [UInt8] = []

  init() {}

  init(_ state: JSONObject) throws {
    if let text = state["label"] { label = try text.text().kept }
    guard let text = try state["domain"]?.text() else { return }
    domainName = text.kept
    // `_` replaces each scalar that metric names do not allow.
    for byte in text.bytes.prefix(4 * DecodingLimits.metricNameBytes) where byte & 0xC0 != 0x80 {
      domain.append(MetricNameRule.allows(byte) ? byte : UInt8(ascii: "_"))
    }
  }

  /// The metric's name in this state: `state.com.example.feature.cpu.time`. The domain is cut if the name would be too
  /// long.
  func name(of metric: MetricReference) -> String {
    let free = DecodingLimits.metricNameBytes - "state..".utf8.count - metric.name.utf8.count
    let domain = String(decoding: domain.prefix(max(0, free)), as: UTF8.self)
    let name = domain.isEmpty ? "state.\(metric.name)" : "state.\(domain).\(metric.name)"
    return String(decoding: name.utf8.prefix(DecodingLimits.metricNameBytes), as: UTF8.self)
  }
}

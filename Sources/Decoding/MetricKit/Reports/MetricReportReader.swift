internal import JSON
internal import Telemetry

/// Reads a `MetricReport`, the daily aggregate of iOS 27.
///
/// Of its intervals only the longest counts: the others repeat parts of it. What was measured while the app was in a state
/// of its own (`stateEntries`) repeats parts of it too, so it becomes metrics of its own, `state.<domain>.<metric>` with the
/// state as label: the states of one domain add up, those of different domains overlap.
///
/// Apple does not document this JSON. A value in an unexpected shape is counted as rejected, and the rest is kept.
struct MetricReportReader {
  let time: ReadingTime
  var readings: [Reading] = []
  var rejectedSamples = 0
  var unknownUnits = 0
  /// The state in which what is being read was measured.
  var state: ReportState?
  /// All signposts so far are the two of Xcode's simulated payloads; nil before the first.
  var hasOnlyTestSignposts: Bool?

  static func report(of document: JSONObject, _ facts: EnvelopeFacts, _ context: DecodingContext) throws -> Report {
    let stated = try ReportDay.day(document["timeRange"]?.object(), context)
    var reader = MetricReportReader(time: .day(stated ?? context.today))
    if let entries = document["intervalEntries"], let entry = try longest(of: entries.array()) {
      try reader.readValues(of: entry)
    }
    if let entries = document["stateEntries"] {
      for entry in try entries.array() where !entry.isNull { try reader.readState(entry.object()) }
    }
    var origin = DiagnosticOrigin()
    if let environment = document["environment"] {
      for (key, value) in try environment.object() where !value.isNull { _ = try origin.read(key, value) }
    }
    origin.fill(from: facts.insideDocument(document))
    if reader.hasOnlyTestSignposts == true { origin.environment = "simulated" }
    var report = origin.report
    report.readings = reader.readings
    report.rejectedSamples = reader.rejectedSamples
    report.unknownUnits = reader.unknownUnits
    report.assumedTimes = stated == nil ? 1 : 0
    return report
  }

  private init(time: ReadingTime) { self.time = time }

  private static func longest(of entries: JSONArray) throws -> JSONObject? {
    var longest: (entry: JSONObject, seconds: Double)?
    for element in entries where !element.isNull {
      let entry = try element.object()
      let seconds = try entry["duration"].flatMap { try MeasuredQuantity($0, .seconds)?.value } ?? 0
      if longest.map({ seconds > $0.seconds }) ?? true { longest = (entry, seconds) }
    }
    return longest?.entry
  }

  private mutating func readState(_ entry: JSONObject) throws {
    state = try entry["state"].map { try ReportState($0.object()) } ?? ReportState()
    try readValues(of: entry)
    state = nil
  }

  /// `values`: objects with one member each, named for the metric.
  private mutating func readValues(of entry: JSONObject) throws {
    guard let values = entry["values"] else { return }
    for element in try values.array() where !element.isNull {
      for (key, value) in try element.object() where !value.isNull { try readMetric(key, value) }
    }
  }

  mutating func append(_ metric: MetricReference, label: String = "", _ value: Reading.Value) {
    guard let state else { return readings.append(Reading(metric, label: label, at: time, value)) }
    let name = state.name(of: metric)
    readings.append(
      Reading(.custom(name: name, unit: metric.unit, kind: metric.kind), label: state.label, at: time, value))
  }

  mutating func append(_ name: String, _ value: Reading.Value, label: String = "") {
    append(MetricReference(name: name, unit: .count, kind: .counter), label: label, value)
  }

  /// A number in `unit`; nil when there is none, and was counted as rejected.
  mutating func quantity(_ value: JSONValue?, _ unit: MetricUnit, isInstructions: Bool = false) throws -> Double? {
    guard let value, let found = try MeasuredQuantity(value, unit, isInstructions: isInstructions) else {
      rejectedSamples += 1
      return nil
    }
    if found.isAssumed { unknownUnits += 1 }
    return found.value
  }
}

/// A state that an app reported: `premium` of the domain `com.example.feature`.
struct ReportState {
  private(set) var label = ""
  private var domain: [UInt8] = []

  init() {}

  init(_ state: JSONObject) throws {
    if let text = state["label"] { label = try text.text().kept }
    guard let text = try state["domain"]?.text() else { return }
    // What no metric name may hold becomes `_`, one for each scalar.
    for byte in text.bytes where byte & 0xC0 != 0x80 {
      domain.append(MetricName.allows(byte) ? byte : UInt8(ascii: "_"))
    }
  }

  /// `state.com.example.feature.cpu.time`, the domain cut where the name would become too long.
  func name(of metric: MetricReference) -> String {
    let free = Limits.metricNameBytes - "state..".utf8.count - metric.name.utf8.count
    let domain = String(decoding: domain.prefix(max(0, free)), as: UTF8.self)
    let name = domain.isEmpty ? "state.\(metric.name)" : "state.\(domain).\(metric.name)"
    return String(decoding: name.utf8.prefix(Limits.metricNameBytes), as: UTF8.self)
  }
}

/// The device's calendar day that a report stands for.
enum ReportDay {
  /// Nil when the report has no time, or a clock that was never set.
  static func day(_ range: JSONObject?, _ context: DecodingContext) throws -> CalendarDay? {
    guard let range, let first = range["begin"] ?? range["end"] else { return nil }
    let last = range["end"] ?? first
    if let from = try DiagnosticTime.instant(first), let to = try DiagnosticTime.instant(last) {
      if to < DiagnosticTime.earliest { return nil }
      // Part of a day: the day of its middle at the app's place.
      let length = to.milliseconds - from.milliseconds
      if range["begin"] != nil, length >= 0, length < 20 * 3_600_000 {
        let middle = Timestamp(milliseconds: from.milliseconds + length / 2)
        return context.clamp(middle.day(utcOffsetSeconds: context.utcOffsetSeconds))
      }
    }
    return try PayloadDay.day(begin: range["begin"], end: range["end"]).map(context.clamp)
  }
}

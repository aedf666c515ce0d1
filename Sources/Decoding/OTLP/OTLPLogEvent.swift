internal import Bytes
internal import OTLPMessages
internal import Telemetry

/// What a resource says to each of its log records, worked out once for all of them.
struct OTLPLogResource {
  let origin: OTLPOrigin
  let session: String?
  /// In the order of keys. Of a resource that is larger than any program's, one attribute that stands for all: they are
  /// hashed with every record.
  let attributes: [OTLPAttribute]

  private static let largest = 4_096

  init(_ attributes: [OTLPKeyValue]) {
    origin = OTLPOrigin(attributes)
    session = attributes.id("session.id")
    let ordered = attributes.ordered
    guard ordered.reduce(0, { $0 + $1.key.utf8.count + $1.json.utf8.count }) > Self.largest else {
      self.attributes = ordered
      return
    }
    var hash = StableHash()
    for attribute in ordered {
      hash.add(attribute.key)
      hash.add(attribute.json)
    }
    self.attributes = [OTLPAttribute(key: "", value: OTLPAnyValue(), json: String(hash.value, radix: 16))]
  }
}

/// A log record with what its resource adds.
struct OTLPLogEvent {
  let record: OTLPLogRecord
  let resource: OTLPLogResource
  let origin: OTLPOrigin
  let time: Timestamp
  let isTimeAssumed: Bool
  /// `metrickit.diagnostic.crash`, `session.start`; empty when it has none.
  let name: String
  let session: String?

  init(_ record: OTLPLogRecord, resource: OTLPLogResource, _ context: DecodingContext) {
    self.record = record
    self.resource = resource
    origin = resource.origin.overridden(by: record.attributes)
    let nanoseconds = record.timeUnixNano > 0 ? record.timeUnixNano : record.observedTimeUnixNano
    isTimeAssumed = nanoseconds == 0
    time = isTimeAssumed ? context.received : context.instant(nanoseconds: nanoseconds)
    name = record.eventName.isEmpty ? record.attributes.text("event.name", "name") ?? "" : record.eventName
    session = record.attributes.id("session.id") ?? resource.session
  }

  /// What a record is to Plumb.
  enum Meaning {
    case diagnostic(DiagnosticKind)
    case sessionStart
    case sessionEnd
    /// A text that may hold MetricKit's own JSON.
    case embedded(String)
    case other
  }

  /// Severities from 17 on are errors, from 21 on fatal; an exception without one is an error.
  ///
  /// Source: opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
  var meaning: Meaning {
    if let kind = Self.metricKit[name] { return .diagnostic(kind) }
    switch name {
    case "session.start": return .sessionStart
    case "session.end": return .sessionEnd
    default: break
    }
    if let payload = record.attributes.fullText("payload"), payload.utf8.first == UInt8(ascii: "{") {
      return .embedded(payload)
    }
    let severity = record.severityNumber
    guard record.attributes.text("exception.type") != nil, severity == 0 || severity >= 17 else { return .other }
    return .diagnostic(severity >= 21 ? .crash : .error)
  }

  private static let metricKit: [String: DiagnosticKind] = [
    "metrickit.diagnostic.crash": .crash, "metrickit.diagnostic.hang": .hang,
    "metrickit.diagnostic.cpu_exception": .cpuException,
    "metrickit.diagnostic.disk_write_exception": .diskWriteException,
    "metrickit.diagnostic.app_launch": .launchFailure, "metrickit.diagnostic.memory_exception": .memoryException,
  ]
}

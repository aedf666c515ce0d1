internal import Core

/// The attributes that a resource adds to each of its log records, computed once per resource.
struct OTLPLogResource {
  let origin: OTLPOrigin
  let session: String?
  /// The resource's attributes in the order of their keys. They are hashed with every record, so if they exceed
  /// `largest`, one attribute with their hash replaces them.
  let attributes: [OTLPAttribute]

  private static let largest = 4_096

  init(_ attributes: [OTLPKeyValue], _ context: DecodingContext) {
    origin = OTLPOrigin(attributes, context)
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

/// A log record together with its resource.
struct OTLPLogEvent {
  let record: OTLPLogRecord
  let resource: OTLPLogResource
  let origin: OTLPOrigin
  let time: Timestamp
  let isTimeAssumed: Bool
  /// The event's name, such as `metrickit.diagnostic.crash` or `session.start`; empty if it has none.
  let name: String
  let session: String?

  init(_ record: OTLPLogRecord, resource: OTLPLogResource, _ context: DecodingContext) {
    self.record = record
    self.resource = resource
    origin = resource.origin.overridden(by: record.attributes, context)
    let nanoseconds = record.timeUnixNano > 0 ? record.timeUnixNano : record.observedTimeUnixNano
    isTimeAssumed = nanoseconds == 0
    time = isTimeAssumed ? context.received : context.instant(nanoseconds: nanoseconds)
    name = record.eventName.isEmpty ? record.attributes.text("event.name", "name") ?? "" : record.eventName
    session = record.attributes.id("session.id") ?? resource.session
  }

  /// The kind of data in a log record.
  enum Meaning {
    case diagnostic(DiagnosticKind)
    case sessionStart
    case sessionEnd
    /// Frames that took too long to render.
    case jank
    /// A known event that is never stored.
    case skipped
    /// A text attribute that may contain MetricKit's JSON.
    case embedded(String)
    case other
  }

  /// The record's kind, from its event name or from its exception and severity. Severities from 17 are errors, from 21
  /// fatal. An exception without a severity is an error.
  ///
  /// Source: opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
  var meaning: Meaning {
    if let meaning = Self.events[name] { return meaning }
    if let payload = record.attributes.fullText("payload"), payload.utf8.first == UInt8(ascii: "{") {
      return .embedded(payload)
    }
    let severity = record.severityNumber
    guard record.attributes.text("exception.type") != nil || name == "exception", severity == 0 || severity >= 17
    else { return .other }
    return .diagnostic(severity >= 21 ? .crash : .error)
  }

  /// The events with a meaning of their own: OpenTelemetry's conventions for apps and sessions, its MetricKit
  /// instrumentation, and `device.crash`, as AWS's distribution of the Swift SDK calls `app.crash`.
  ///
  /// Source: opentelemetry.io/docs/specs/semconv/app/app-events, …/general/session, …/mobile/mobile-events
  private static let events: [String: Meaning] = [
    "app.crash": .diagnostic(.crash), "device.crash": .diagnostic(.crash), "app.jank": .jank,
    "session.start": .sessionStart, "session.end": .sessionEnd,
    "metrickit.diagnostic.crash": .diagnostic(.crash), "metrickit.diagnostic.hang": .diagnostic(.hang),
    "metrickit.diagnostic.cpu_exception": .diagnostic(.cpuException),
    "metrickit.diagnostic.disk_write_exception": .diagnostic(.diskWriteException),
    "metrickit.diagnostic.app_launch": .diagnostic(.launchFailure),
    "metrickit.diagnostic.memory_exception": .diagnostic(.memoryException),
    "app.screen.click": .skipped, "app.widget.click": .skipped, "device.app.lifecycle": .skipped,
    "app.screen.view_did_appear": .skipped,
  ]
}

extension OTLPLogEvent {
  /// A hash of the crash's own id or, without one, of the record. It does not depend on the order of attributes, so a
  /// record that is sent again is recognised.
  var identity: UInt64 {
    var hash = StableHash()
    if name == "app.crash", let id = record.attributes.id("app.crash.id") {
      hash.add("app.crash.id")
      hash.add(id)
      return hash.value
    }
    hash.add(body(keepingText: true))
    for attribute in resource.attributes {
      hash.add(attribute.key)
      hash.add(attribute.json)
    }
    return hash.value
  }

  /// The record as compact JSON. Without `keepingText` it omits everything that may contain a user's text: the record's
  /// body, exception messages, and stack traces that are not JSON, because many languages write the message into them.
  func body(keepingText: Bool) -> String {
    // Appends to one string, because attributes can be as large as a request.
    var text = "{\"timeUnixNano\":\"\(record.timeUnixNano)\",\"severityNumber\":\(record.severityNumber)"
    if !name.isEmpty { text += ",\"eventName\":\(OTLPJSON.quoted(name))" }
    if keepingText, let body = record.body {
      text += ",\"body\":"
      text += body.json
    }
    let attributes = record.attributes.ordered
    text.reserveCapacity(
      attributes.reduce(text.utf8.count + 16) { $0 + $1.key.utf8.count + $1.json.utf8.count + 4 })
    text += ",\"attributes\":{"
    var separator = ""
    for attribute in attributes where keepingText || !Self.holdsText(attribute) {
      text += separator
      text += OTLPJSON.quoted(attribute.key)
      text += ":"
      text += attribute.json
      separator = ","
    }
    text += "}}"
    return text
  }

  private static func holdsText(_ attribute: OTLPAttribute) -> Bool {
    let key = attribute.key.utf8
    if key.hasSuffix("message") || key.hasSuffix("description") { return true }
    guard key.hasSuffix("stacktrace"), case .stringValue(let stack)? = attribute.value.value else { return false }
    return stack.utf8.first != UInt8(ascii: "{")
  }
}

extension String.UTF8View {
  fileprivate func hasSuffix(_ suffix: StaticString) -> Bool {
    count >= suffix.utf8CodeUnitCount
      && self.suffix(suffix.utf8CodeUnitCount).elementsEqual(
        UnsafeBufferPointer(start: suffix.utf8Start, count: suffix.utf8CodeUnitCount))
  }
}

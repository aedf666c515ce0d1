internal import Core

/// A message of OTLP: the numbers of its fields in protobuf, their names in JSON, and their values. Unused fields are
/// missing here and are skipped in both encodings.
///
/// Source: github.com/open-telemetry/opentelemetry-proto, 1.x
protocol OTLPMessage: Sendable {
  init()

  /// Whether it is a data point, log record or span, whose number is limited per request.
  static var isPoint: Bool { get }

  /// The number of the field with this name; 0 for others. A field may also have its name in the protobuf definition.
  static func field(_ name: BorrowedJSONString) -> Int

  /// Reads the current field of the input. Ignores unknown numbers.
  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure)
}

extension OTLPMessage {
  static var isPoint: Bool { false }
}

// The messages that all requests share, and those of logs and traces.

struct OTLPAnyValue: OTLPMessage {
  enum Value: Sendable {
    case stringValue(String)
    case boolValue(Bool)
    case intValue(Int64)
    case doubleValue(Double)
    case arrayValue(OTLPArrayValue)
    case kvlistValue(OTLPKeyValueList)
  }

  var value: Value?

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "stringValue", "string_value": 1
    case "boolValue", "bool_value": 2
    case "intValue", "int_value": 3
    case "doubleValue", "double_value": 4
    case "arrayValue", "array_value": 5
    case "kvlistValue", "kvlist_value": 6
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    guard (1...6).contains(field) else { return }
    try input.checkOneOf(isSet: value != nil)
    switch field {
    case 1: if let text = try input.string() { value = .stringValue(text) }
    case 2: if let flag = try input.bool() { value = .boolValue(flag) }
    case 3: if let number = try input.int64() { value = .intValue(number) }
    case 4: if let number = try input.double() { value = .doubleValue(number) }
    case 5:
      try input.oneOf(&value, "arrayValue", Value.arrayValue) { if case .arrayValue(let it) = $0 { it } else { nil } }
    default:
      try input.oneOf(&value, "kvlistValue", Value.kvlistValue) {
        if case .kvlistValue(let it) = $0 { it } else { nil }
      }
    }
  }
}

struct OTLPArrayValue: OTLPMessage {
  var values: [OTLPAnyValue] = []

  static func field(_ name: BorrowedJSONString) -> Int { name == "values" ? 1 : 0 }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.messages(&values, "values") }
  }
}

struct OTLPKeyValueList: OTLPMessage {
  var values: [OTLPKeyValue] = []

  static func field(_ name: BorrowedJSONString) -> Int { name == "values" ? 1 : 0 }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.messages(&values, "values") }
  }
}

struct OTLPKeyValue: OTLPMessage {
  var key = ""
  var value = OTLPAnyValue()

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "key": 1
    case "value": 2
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.string(&key)
    case 2: try input.single(&value, "value")
    default: break
    }
  }
}

struct OTLPResource: OTLPMessage {
  var attributes: [OTLPKeyValue] = []

  static func field(_ name: BorrowedJSONString) -> Int { name == "attributes" ? 1 : 0 }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.messages(&attributes, "attributes") }
  }
}

struct OTLPInstrumentationScope: OTLPMessage {
  var name = ""
  var version = ""
  var attributes: [OTLPKeyValue] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "name": 1
    case "version": 2
    case "attributes": 3
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.string(&name)
    case 2: try input.string(&version)
    case 3: try input.messages(&attributes, "attributes")
    default: break
    }
  }
}

// MARK: - Logs

struct OTLPExportLogsServiceRequest: OTLPMessage {
  var resourceLogs: [OTLPResourceLogs] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "resourceLogs", "resource_logs": 1
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.messages(&resourceLogs, "resourceLogs") }
  }
}

struct OTLPResourceLogs: OTLPMessage {
  var resource = OTLPResource()
  var scopeLogs: [OTLPScopeLogs] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "resource": 1
    case "scopeLogs", "scope_logs": 2
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.single(&resource, "resource")
    case 2: try input.messages(&scopeLogs, "scopeLogs")
    default: break
    }
  }
}

/// The scope is not used. It is read so that a malformed one is refused.
struct OTLPScopeLogs: OTLPMessage {
  var scope = OTLPInstrumentationScope()
  var logRecords: [OTLPLogRecord] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "scope": 1
    case "logRecords", "log_records": 2
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.single(&scope, "scope")
    case 2: try input.messages(&logRecords, "logRecords")
    default: break
    }
  }
}

struct OTLPLogRecord: OTLPMessage {
  var timeUnixNano: UInt64 = 0
  var severityNumber: Int32 = 0
  /// Nil if the record has no body.
  var body: OTLPAnyValue?
  var attributes: [OTLPKeyValue] = []
  var observedTimeUnixNano: UInt64 = 0
  var eventName = ""

  static var isPoint: Bool { true }

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "timeUnixNano", "time_unix_nano": 1
    case "severityNumber", "severity_number": 2
    case "body": 5
    case "attributes": 6
    case "observedTimeUnixNano", "observed_time_unix_nano": 11
    case "eventName", "event_name": 12
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.fixed64(&timeUnixNano)
    case 2: try input.int32(&severityNumber)
    case 5:
      // The list has only one reference, so that it is not copied when another part of the body makes it grow.
      let isKnown = body != nil
      var read = body ?? OTLPAnyValue()
      body = nil
      if try input.message(&read, "body") || (isKnown && !input.isNull) { body = read }
    case 6: try input.messages(&attributes, "attributes")
    case 11: try input.fixed64(&observedTimeUnixNano)
    case 12: try input.string(&eventName)
    default: break
    }
  }
}

// MARK: - Traces

struct OTLPExportTraceServiceRequest: OTLPMessage {
  var resourceSpans: [OTLPResourceSpans] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "resourceSpans", "resource_spans": 1
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.messages(&resourceSpans, "resourceSpans") }
  }
}

struct OTLPResourceSpans: OTLPMessage {
  var resource = OTLPResource()
  var scopeSpans: [OTLPScopeSpans] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "resource": 1
    case "scopeSpans", "scope_spans": 2
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.single(&resource, "resource")
    case 2: try input.messages(&scopeSpans, "scopeSpans")
    default: break
    }
  }
}

/// The scope is not used. It is read so that a malformed one is refused.
struct OTLPScopeSpans: OTLPMessage {
  var scope = OTLPInstrumentationScope()
  var spans: [OTLPSpan] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "scope": 1
    case "spans": 2
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.single(&scope, "scope")
    case 2: try input.messages(&spans, "spans")
    default: break
    }
  }
}

struct OTLPSpan: OTLPMessage {
  var name = ""
  var startTimeUnixNano: UInt64 = 0
  var endTimeUnixNano: UInt64 = 0
  var attributes: [OTLPKeyValue] = []

  static var isPoint: Bool { true }

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "name": 5
    case "startTimeUnixNano", "start_time_unix_nano": 7
    case "endTimeUnixNano", "end_time_unix_nano": 8
    case "attributes": 9
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 5: try input.string(&name)
    case 7: try input.fixed64(&startTimeUnixNano)
    case 8: try input.fixed64(&endTimeUnixNano)
    case 9: try input.messages(&attributes, "attributes")
    default: break
    }
  }
}

internal import Core

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

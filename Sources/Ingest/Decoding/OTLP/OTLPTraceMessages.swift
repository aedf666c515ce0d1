internal import Core

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

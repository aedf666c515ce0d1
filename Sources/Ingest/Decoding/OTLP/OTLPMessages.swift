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

// The messages that all requests share.

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

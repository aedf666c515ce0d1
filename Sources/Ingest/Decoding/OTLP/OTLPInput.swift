internal import Core

/// A message of OTLP: the numbers of its fields in protobuf, their names in JSON, and what they hold. Fields that are not
/// read are missing here, and are skipped in both encodings.
///
/// Source: github.com/open-telemetry/opentelemetry-proto, 1.x
protocol OTLPMessage: Sendable {
  init()

  /// Whether it is what a request has a limited number of: a data point, a log record or a span.
  static var isPoint: Bool { get }

  /// The number of the field with this name; 0 for others. A field may be written as its definition names it, too.
  static func field(_ name: BorrowedJSONString) -> Int

  /// Reads the field that the input is at. Nothing is done about unknown numbers.
  mutating func read(_ field: Int, _ input: inout some OTLPInput) throws(OTLPFailure)
}

extension OTLPMessage {
  static var isPoint: Bool { false }
}

/// The value of a field in one of the encodings.
///
/// Each function reads a type of protobuf. It returns nil for a field without a value: one of another type in protobuf,
/// which is skipped, and null in JSON.
protocol OTLPInput {
  /// Whether the value is JSON's null, which stands for the default.
  var isNull: Bool { get }

  mutating func string() throws(OTLPFailure) -> String?
  mutating func bool() throws(OTLPFailure) -> Bool?
  mutating func double() throws(OTLPFailure) -> Double?
  mutating func fixed64() throws(OTLPFailure) -> UInt64?
  mutating func sfixed64() throws(OTLPFailure) -> Int64?
  mutating func int64() throws(OTLPFailure) -> Int64?
  mutating func int32() throws(OTLPFailure) -> Int32?
  mutating func sint32() throws(OTLPFailure) -> Int32?
  mutating func uint32() throws(OTLPFailure) -> UInt32?
  mutating func temporality() throws(OTLPFailure) -> OTLPAggregationTemporality?

  /// Reads into a message, so that one in several parts is merged. Returns false if there is none.
  mutating func message(_ message: inout some OTLPMessage, _ name: StaticString) throws(OTLPFailure) -> Bool

  // Repeated fields, whose elements are added.
  mutating func messages<Message: OTLPMessage>(_ list: inout [Message], _ name: StaticString) throws(OTLPFailure)
  mutating func doubles(_ list: inout [Double]) throws(OTLPFailure)
  mutating func fixed64s(_ list: inout [UInt64]) throws(OTLPFailure)
  mutating func uint64s(_ list: inout [UInt64]) throws(OTLPFailure)

  /// Checks that one of several fields that exclude each other may be read: in protobuf the last one counts, in JSON there
  /// may be only one. `isSet`: whether one of them was read already.
  func checkOneOf(isSet: Bool) throws(OTLPFailure)
}

/// Why a body is not read.
enum OTLPFailure: Error {
  /// It is no message, in words.
  case malformed(String)
  /// It holds more than a request may, in words. `path`: the message that is too many, from the inside out.
  case tooMany(String, path: [String])

  static let tooManyPoints = OTLPFailure.tooMany(
    "a request may hold \(OTLPLimits.points) data points, log records or spans; send the rest in another", path: [])
  static let tooDeep = OTLPFailure.malformed("values are nested deeper than \(OTLPLimits.depth) levels")

  /// The failure of the message that holds the failed one, which is its `index`th of this name.
  func inside(_ name: StaticString, _ index: Int) -> OTLPFailure {
    guard case .tooMany(let problem, let path) = self else { return self }
    return .tooMany(problem, path: path + ["\(name)[\(index)]"])
  }

  /// The path from the outside in, cut behind 300 bytes.
  static func path(_ names: [String]) -> String {
    names.reversed().reduce("") { $0.utf8.count > 300 ? $0 : $0.isEmpty ? $1 : "\($0).\($1)" }
  }
}

/// Fields that are there once: the last one counts, and null is the default.
extension OTLPInput {
  mutating func string(_ value: inout String) throws(OTLPFailure) { put(try string(), &value, "") }
  mutating func bool(_ value: inout Bool) throws(OTLPFailure) { put(try bool(), &value, false) }
  mutating func double(_ value: inout Double) throws(OTLPFailure) { put(try double(), &value, 0) }
  mutating func fixed64(_ value: inout UInt64) throws(OTLPFailure) { put(try fixed64(), &value, 0) }
  mutating func int32(_ value: inout Int32) throws(OTLPFailure) { put(try int32(), &value, 0) }
  mutating func sint32(_ value: inout Int32) throws(OTLPFailure) { put(try sint32(), &value, 0) }
  mutating func uint32(_ value: inout UInt32) throws(OTLPFailure) { put(try uint32(), &value, 0) }

  mutating func double(_ value: inout Double?) throws(OTLPFailure) {
    if let number = try double() { value = number } else if isNull { value = nil }
  }

  mutating func temporality(_ value: inout OTLPAggregationTemporality) throws(OTLPFailure) {
    put(try temporality(), &value, .unspecified)
  }

  mutating func single<Message: OTLPMessage>(
    _ message: inout Message, _ name: StaticString
  ) throws(OTLPFailure) {
    if try !self.message(&message, name), isNull { message = Message() }
  }

  private func put<Value>(_ new: Value?, _ value: inout Value, _ initial: Value) {
    if let new { value = new } else if isNull { value = initial }
  }

  /// Reads a message that excludes others. Parts of the same one are merged.
  mutating func oneOf<Choice, Message: OTLPMessage>(
    _ choice: inout Choice?, _ name: StaticString, _ make: (Message) -> Choice, _ known: (Choice) -> Message?
  ) throws(OTLPFailure) {
    var message = Message()
    var isKnown = false
    if let part = choice.flatMap(known) {
      // The list in it is held once, so that it is not copied when it grows.
      (message, choice, isKnown) = (part, nil, true)
    }
    if try self.message(&message, name) || isKnown { choice = make(message) }
  }
}

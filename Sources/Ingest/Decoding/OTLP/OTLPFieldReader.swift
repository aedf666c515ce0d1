/// The value of a field in one of the encodings.
///
/// Each function reads a type of protobuf. It returns nil for a field without a value: a field of another type in
/// protobuf, which is skipped, or null in JSON.
protocol OTLPFieldReader {
  /// Whether the value is JSON's null, which means the default.
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

  /// Reads into a message and merges parts of the same message. Returns false if there is none.
  mutating func message(_ message: inout some OTLPMessage, _ name: StaticString) throws(OTLPFailure) -> Bool

  /// The whole request, which has not been read yet.
  var request: OTLPUnreadMessage { get }
  /// Adds the messages of a repeated field. They are counted now and read later by `read(_:into:)`, one at a time, so
  /// that a request with thousands of them takes little memory.
  mutating func unread(_ list: inout [OTLPUnreadMessage], _ name: StaticString, arePoints: Bool) throws(OTLPFailure)
  /// Reads a message into one that is empty.
  mutating func read(_ unread: OTLPUnreadMessage, into message: inout some OTLPMessage) throws(OTLPFailure)

  // Repeated fields. Their elements are added.
  mutating func messages<Message: OTLPMessage>(_ list: inout [Message], _ name: StaticString) throws(OTLPFailure)
  mutating func doubles(_ list: inout [Double]) throws(OTLPFailure)
  mutating func fixed64s(_ list: inout [UInt64]) throws(OTLPFailure)
  mutating func uint64s(_ list: inout [UInt64]) throws(OTLPFailure)

  /// Checks that one of several exclusive fields may be read. In protobuf the last one counts; in JSON there may be
  /// only one. `isSet`: whether one of them was already read.
  func checkOneOf(isSet: Bool) throws(OTLPFailure)
}

/// The position of a message in the body.
struct OTLPUnreadMessage: Sendable {
  /// The position of its first byte in protobuf; in JSON, its position on the parser's tape.
  let start: Int
  /// The position behind its last byte in protobuf; unused in JSON.
  let end: Int
  /// The number of messages around it.
  let depth: Int
}

/// Fields that occur once. The last one counts, and null is the default.
extension OTLPFieldReader {
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

  /// Reads one of several exclusive messages. Parts of the same message are merged.
  mutating func oneOf<Choice, Message: OTLPMessage>(
    _ choice: inout Choice?, _ name: StaticString, _ make: (Message) -> Choice, _ known: (Choice) -> Message?
  ) throws(OTLPFailure) {
    var message = Message()
    var isKnown = false
    if let part = choice.flatMap(known) {
      // The list has only one reference, so that it is not copied when it grows.
      (message, choice, isKnown) = (part, nil, true)
    }
    if try self.message(&message, name) || isKnown { choice = make(message) }
  }
}

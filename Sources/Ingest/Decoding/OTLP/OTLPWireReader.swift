internal import Core

/// Reads a request in protobuf and counts its messages while reading. An empty message takes two bytes in protobuf and
/// two hundred in memory.
///
/// As in every protobuf reader, fields with an unknown number or an unexpected type are skipped, including groups.
/// Repeated numbers may be packed or not.
///
/// Source: protobuf.dev/programming-guides/encoding
struct OTLPWireReader: OTLPFieldReader {
  private let bytes: UnsafeRawBufferPointer
  private var at = 0
  /// The end of the current message.
  private var end: Int
  /// The number of messages around the field.
  private var depth = 0

  // The wire type of the current field, and whether it was read.
  private var type: UInt64 = 0
  private var isRead = false

  private var points = 0
  private var messages = 0
  private var numbers = 0

  /// The wire types that fields of OTLP have.
  private enum WireType {
    static let varint: UInt64 = 0
    static let fixed64: UInt64 = 1
    static let bytes: UInt64 = 2
  }

  private static let truncated = OTLPFailure.malformed("the message ends inside its last field")
  private static let impossible = OTLPFailure.malformed("a field has an invalid number or wire type")

  /// Reads from `body`, which must stay valid as long as the reader.
  init(_ body: UnsafeRawBufferPointer) {
    bytes = body
    end = body.count
  }

  // MARK: - Messages

  var request: OTLPUnreadMessage { OTLPUnreadMessage(start: 0, end: bytes.count, depth: 0) }

  mutating func unread(
    _ list: inout [OTLPUnreadMessage], _ name: StaticString, arePoints: Bool
  ) throws(OTLPFailure) {
    guard type == WireType.bytes else { return }
    let messageEnd = try endOfBytes()
    do throws(OTLPFailure) {
      try countMessage(isPoint: arePoints)
    } catch {
      throw error.inside(name, list.count)
    }
    list.append(OTLPUnreadMessage(start: at, end: messageEnd, depth: depth))
    (at, isRead) = (messageEnd, true)
  }

  mutating func read(_ unread: OTLPUnreadMessage, into message: inout some OTLPMessage) throws(OTLPFailure) {
    (at, end, depth) = (unread.start, unread.end, unread.depth + 1)
    guard depth <= OTLPLimits.depth else { throw .tooDeep }
    try fields(of: &message)
  }

  private mutating func fields(of message: inout some OTLPMessage) throws(OTLPFailure) {
    while at < end {
      let start = at
      let tag = try tag()
      guard at - start <= 5 else { throw Self.impossible }
      (type, isRead) = (tag & 7, false)
      try message.read(Int(tag >> 3), &self)
      if !isRead { try skip(tag) }
    }
  }

  private mutating func nested<Message: OTLPMessage>(
    _ message: inout Message, _ name: StaticString, _ index: Int
  ) throws(OTLPFailure) {
    do throws(OTLPFailure) {
      let outerEnd = end
      end = try endOfBytes()
      depth += 1
      try countMessage(isPoint: Message.isPoint)
      guard depth <= OTLPLimits.depth else { throw .tooDeep }
      try fields(of: &message)
      (end, isRead) = (outerEnd, true)
      depth -= 1
    } catch {
      throw error.inside(name, index)
    }
  }

  mutating func message(_ message: inout some OTLPMessage, _ name: StaticString) throws(OTLPFailure) -> Bool {
    guard type == WireType.bytes else { return false }
    try nested(&message, name, 0)
    return true
  }

  mutating func messages<Message: OTLPMessage>(_ list: inout [Message], _ name: StaticString) throws(OTLPFailure) {
    guard type == WireType.bytes else { return }
    var message = Message()
    try nested(&message, name, list.count)
    list.append(message)
  }

  private mutating func countMessage(isPoint: Bool) throws(OTLPFailure) {
    if isPoint { points += 1 }
    messages += 1
    guard points <= OTLPLimits.points else { throw .tooManyPoints }
    guard messages <= OTLPLimits.messages else {
      throw .tooMany(
        "a request may have at most \(OTLPLimits.messages) messages (points, attributes and their values); split it",
        path: [])
    }
  }

  private mutating func count(numbers more: Int) throws(OTLPFailure) {
    numbers += more
    guard numbers <= OTLPLimits.numbers else {
      throw .tooMany(
        "a request may have at most \(OTLPLimits.numbers) bounds and counts of buckets; split it", path: [])
    }
  }

  // MARK: - Values

  var isNull: Bool { false }

  func checkOneOf(isSet: Bool) {}

  mutating func string() throws(OTLPFailure) -> String? {
    guard type == WireType.bytes else { return nil }
    let textEnd = try endOfBytes()
    let utf8 = UnsafeRawBufferPointer(rebasing: bytes[at..<textEnd])
    (at, isRead) = (textEnd, true)
    // Almost all texts are ASCII. `String(validating:as:)` looks up its generic types with each call.
    if utf8.allSatisfy({ $0 < 0x80 }) { return String(decoding: utf8, as: UTF8.self) }
    guard let text = String(validating: utf8, as: UTF8.self) else { throw .malformed("a string is not UTF-8") }
    return text.streamSafe
  }

  mutating func bool() throws(OTLPFailure) -> Bool? { try varintField().map { $0 != 0 } }

  mutating func double() throws(OTLPFailure) -> Double? { try fixed64().map { Double(bitPattern: $0) } }

  mutating func fixed64() throws(OTLPFailure) -> UInt64? {
    guard type == WireType.fixed64 else { return nil }
    isRead = true
    return try word()
  }

  mutating func sfixed64() throws(OTLPFailure) -> Int64? { try fixed64().map { Int64(bitPattern: $0) } }

  mutating func int64() throws(OTLPFailure) -> Int64? { try varintField().map { Int64(bitPattern: $0) } }

  mutating func int32() throws(OTLPFailure) -> Int32? { try varintField().map { Int32(truncatingIfNeeded: $0) } }

  mutating func uint32() throws(OTLPFailure) -> UInt32? { try varintField().map { UInt32(truncatingIfNeeded: $0) } }

  mutating func sint32() throws(OTLPFailure) -> Int32? {
    try uint32().map { Int32(bitPattern: $0 >> 1) ^ -Int32(bitPattern: $0 & 1) }
  }

  mutating func temporality() throws(OTLPFailure) -> OTLPAggregationTemporality? {
    try int32().map { OTLPAggregationTemporality($0) }
  }

  mutating func doubles(_ list: inout [Double]) throws(OTLPFailure) {
    try words(&list) { Double(bitPattern: $0) }
  }

  mutating func fixed64s(_ list: inout [UInt64]) throws(OTLPFailure) {
    try words(&list) { $0 }
  }

  private mutating func words<Number>(
    _ list: inout [Number], _ number: (UInt64) -> Number
  ) throws(OTLPFailure) {
    if let word = try fixed64() {
      try count(numbers: 1)
      return list.append(number(word))
    }
    guard type == WireType.bytes else { return }
    let listEnd = try endOfBytes()
    guard (listEnd - at).isMultiple(of: 8) else { throw Self.truncated }
    try count(numbers: (listEnd - at) / 8)
    // Without reserving space, which a list in many small parts would copy for each part.
    while at < listEnd {
      list.append(number(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))))
      at += 8
    }
    isRead = true
  }

  mutating func uint64s(_ list: inout [UInt64]) throws(OTLPFailure) {
    if let value = try varintField() {
      try count(numbers: 1)
      return list.append(value)
    }
    guard type == WireType.bytes else { return }
    let outerEnd = end
    end = try endOfBytes()
    // Every varint ends with one byte below 128.
    try count(numbers: bytes[at..<end].count { $0 < 0x80 })
    while at < end { list.append(try varint()) }
    (end, isRead) = (outerEnd, true)
  }

  // MARK: - Bytes

  private mutating func varintField() throws(OTLPFailure) -> UInt64? {
    guard type == WireType.varint else { return nil }
    isRead = true
    return try varint()
  }

  @inline(__always)
  private mutating func varint() throws(OTLPFailure) -> UInt64 {
    // Most are below 128.
    if at < end, bytes[at] < 0x80 {
      at += 1
      return UInt64(bytes[at - 1])
    }
    return try longVarint()
  }

  private mutating func longVarint() throws(OTLPFailure) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < end {
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { throw Self.impossible }
    }
    throw Self.truncated
  }

  private mutating func word() throws(OTLPFailure) -> UInt64 {
    guard end - at >= 8 else { throw Self.truncated }
    defer { at += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  /// Reads a length and returns the end of its bytes.
  private mutating func endOfBytes() throws(OTLPFailure) -> Int {
    let length = try varint()
    guard length <= UInt64(end - at) else { throw Self.truncated }
    return at + Int(length)
  }

  /// The number and type of a field, in at most 32 bits.
  private mutating func tag() throws(OTLPFailure) -> UInt64 {
    let tag = try varint()
    guard (8..<1 << 32).contains(tag) else { throw Self.impossible }
    return tag
  }

  /// Skips a field after its tag. Groups, which are deprecated, are skipped with their contents.
  private mutating func skip(_ tag: UInt64) throws(OTLPFailure) {
    var groups: [UInt64] = []
    var tag = tag
    while true {
      switch tag & 7 {
      case WireType.varint: _ = try varint()
      case WireType.fixed64: _ = try word()
      case WireType.bytes: at = try endOfBytes()
      case 3:
        groups.append(tag >> 3)
        if depth + groups.count > OTLPLimits.depth { throw .tooDeep }
      case 4: guard groups.popLast() == tag >> 3 else { throw Self.impossible }
      case 5:
        guard end - at >= 4 else { throw Self.truncated }
        at += 4
      default: throw Self.impossible
      }
      if groups.isEmpty { return }
      tag = try self.tag()
    }
  }
}

internal import Core

/// Reads a request in OTLP's JSON mapping: that of protobuf, with enums also by number.
///
/// Unknown members are skipped, and null means no value. The last of several equal members counts. Integers and doubles
/// may be written as texts. The parser reads both 0 and −0 without a fraction as 0.
///
/// Source: protobuf.dev/programming-guides/json, opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
struct OTLPJSONReader: OTLPFieldReader {
  private let root: JSONValue
  /// The current field.
  private var value: JSONValue
  /// The number of objects around the field.
  private var depth = 0
  private var points = 0

  private static let mismatch = OTLPFailure.malformed(
    "expected the members of OTLP's JSON mapping, with 64-bit numbers as strings or numbers")

  /// Reads the request with this root.
  init(_ root: JSONValue) { (self.root, value) = (root, root) }

  // MARK: - Messages

  var request: OTLPUnreadMessage { unread(root) }

  private func unread(_ value: JSONValue) -> OTLPUnreadMessage {
    OTLPUnreadMessage(start: value.position, end: 0, depth: depth)
  }

  mutating func unread(
    _ list: inout [OTLPUnreadMessage], _ name: StaticString, arePoints: Bool
  ) throws(OTLPFailure) {
    if isNull { return }
    guard let array = value.arrayOrNil else { throw Self.mismatch }
    for element in array {
      if arePoints { try countPoint() }
      list.append(unread(element))
    }
  }

  mutating func read(_ unread: OTLPUnreadMessage, into message: inout some OTLPMessage) throws(OTLPFailure) {
    depth = unread.depth
    try members(of: root.value(at: unread.start), &message)
  }

  private mutating func countPoint() throws(OTLPFailure) {
    points += 1
    guard points <= OTLPLimits.points else { throw .tooManyPoints }
  }

  private mutating func members<Message: OTLPMessage>(
    of value: JSONValue, _ message: inout Message
  ) throws(OTLPFailure) {
    guard let object = value.objectOrNil else { throw Self.mismatch }
    depth += 1
    guard depth <= OTLPLimits.depth else { throw .tooDeep }
    for (key, member) in object {
      let field = Message.field(key)
      if field == 0 { continue }
      self.value = member
      try message.read(field, &self)
    }
    depth -= 1
  }

  mutating func message(_ message: inout some OTLPMessage, _ name: StaticString) throws(OTLPFailure) -> Bool {
    if isNull { return false }
    try members(of: value, &message)
    return true
  }

  mutating func messages<Message: OTLPMessage>(_ list: inout [Message], _ name: StaticString) throws(OTLPFailure) {
    if isNull { return }
    guard let array = value.arrayOrNil else { throw Self.mismatch }
    for element in array {
      if Message.isPoint { try countPoint() }
      var message = Message()
      try members(of: element, &message)
      list.append(message)
    }
  }

  // MARK: - Values

  var isNull: Bool { value.isNull }

  func checkOneOf(isSet: Bool) throws(OTLPFailure) {
    if isSet, !isNull { throw Self.mismatch }
  }

  mutating func string() throws(OTLPFailure) -> String? {
    if isNull { return nil }
    guard let text = value.textOrNil else { throw Self.mismatch }
    return text.string
  }

  mutating func bool() throws(OTLPFailure) -> Bool? {
    if isNull { return nil }
    guard let flag = value.booleanOrNil else { throw Self.mismatch }
    return flag
  }

  mutating func double() throws(OTLPFailure) -> Double? {
    if isNull { return nil }
    guard let number = value.numberOrNil ?? value.textOrNil.flatMap(Self.double) else { throw Self.mismatch }
    return number
  }

  mutating func fixed64() throws(OTLPFailure) -> UInt64? {
    if isNull { return nil }
    guard let number = value.unsignedIntegerOrNil ?? value.textOrNil.flatMap(Self.unsigned) else {
      throw Self.mismatch
    }
    return number
  }

  mutating func int64() throws(OTLPFailure) -> Int64? {
    if isNull { return nil }
    guard let number = value.integerOrNil.map(Int64.init) ?? value.textOrNil.flatMap(Self.signed) else {
      throw Self.mismatch
    }
    return number
  }

  mutating func sfixed64() throws(OTLPFailure) -> Int64? { try int64() }

  mutating func int32() throws(OTLPFailure) -> Int32? { try exactly(int64()) }

  mutating func sint32() throws(OTLPFailure) -> Int32? { try exactly(int64()) }

  mutating func uint32() throws(OTLPFailure) -> UInt32? { try exactly(fixed64()) }

  private func exactly<Number: FixedWidthInteger>(_ wide: (some BinaryInteger)?) throws(OTLPFailure) -> Number? {
    guard let wide else { return nil }
    guard let number = Number(exactly: wide) else { throw Self.mismatch }
    return number
  }

  /// An enum by name or number. Unknown names are skipped.
  mutating func temporality() throws(OTLPFailure) -> OTLPAggregationTemporality? {
    if let name = value.textOrNil { return OTLPAggregationTemporality(name) }
    return try int64().map { OTLPAggregationTemporality($0) }
  }

  mutating func doubles(_ list: inout [Double]) throws(OTLPFailure) {
    try numbers(&list) { (reader) throws(OTLPFailure) in try reader.double() }
  }

  mutating func fixed64s(_ list: inout [UInt64]) throws(OTLPFailure) {
    try numbers(&list) { (reader) throws(OTLPFailure) in try reader.fixed64() }
  }

  mutating func uint64s(_ list: inout [UInt64]) throws(OTLPFailure) { try fixed64s(&list) }

  private mutating func numbers<Number>(
    _ list: inout [Number], _ read: (inout Self) throws(OTLPFailure) -> Number?
  ) throws(OTLPFailure) {
    if isNull { return }
    guard let array = value.arrayOrNil else { throw Self.mismatch }
    for element in array {
      value = element
      guard let number = try read(&self) else { throw Self.mismatch }
      list.append(number)
    }
  }
}

/// Numbers that are written as texts.
extension OTLPJSONReader {
  /// A number as JSON writes it, or NaN or an infinity, which JSON cannot write.
  private static func double(_ text: BorrowedJSONString) -> Double? {
    switch text {
    case "NaN": return .nan
    case "Infinity", "Inf": return .infinity
    case "-Infinity", "-Inf": return -.infinity
    default:
      guard isNumber(text.bytes[...]), let number = Double(text.string), number.isFinite else { return nil }
      return number
    }
  }

  private static func unsigned(_ text: BorrowedJSONString) -> UInt64? {
    if let number = digits(text.bytes[...]) { return number }
    return text.bytes.first == UInt8(ascii: "-") ? nil : fractional(text).flatMap { UInt64(exactly: $0) }
  }

  private static func signed(_ text: BorrowedJSONString) -> Int64? {
    let isNegative = text.bytes.first == UInt8(ascii: "-")
    if let number = digits(text.bytes[(isNegative ? 1 : 0)...]) {
      return isNegative ? Int64(exactly: -Int128(number)) : Int64(exactly: number)
    }
    return fractional(text).flatMap { Int64(exactly: $0) }
  }

  /// A number with a fraction or an exponent.
  private static func fractional(_ text: BorrowedJSONString) -> Double? {
    text.bytes.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") } ? double(text) : nil
  }

  /// A number of decimal digits without leading zeros; nil for anything else and above 64 bits.
  private static func digits(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    guard let first = text.first, first != UInt8(ascii: "0") || text.count == 1 else { return nil }
    var value: UInt64 = 0
    for digit in text {
      guard isDigit(digit) else { return nil }
      let (tens, isWide) = value.multipliedReportingOverflow(by: 10)
      let (sum, isWider) = tens.addingReportingOverflow(UInt64(digit - 48))
      if isWide || isWider { return nil }
      value = sum
    }
    return value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// RFC 8259 §6.
  private static func isNumber(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var rest = text
    func skipDigits() -> Slice<UnsafeBufferPointer<UInt8>> {
      let digits = rest.prefix(while: isDigit)
      rest = rest.dropFirst(digits.count)
      return digits
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let whole = skipDigits()
    guard let first = whole.first, first != UInt8(ascii: "0") || whole.count == 1 else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      if skipDigits().isEmpty { return false }
    }
    if rest.first.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
      if skipDigits().isEmpty { return false }
    }
    return rest.isEmpty
  }
}

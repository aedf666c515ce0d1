internal import JSON
internal import OTLPMessages

/// Members, lists and values, each as plain as it may be.
extension OTLPPlainJSON {
  /// Passes the members of an object to `read`, which returns whether it knows the name. Known names must not repeat.
  mutating func members(
    _ value: JSONValue, _ read: (inout Self, BorrowedJSONString, JSONValue) throws -> Bool
  ) throws {
    guard let object = value.objectOrNil else { throw NotPlain() }
    for (key, value) in object {
      guard try read(&self, key, value) else {
        try Self.skip(key, value)
        continue
      }
      // Known names are few, and the first that repeats ends it, so that this cannot take long.
      if Self.count(key, in: object) > 1 { throw NotPlain() }
    }
  }

  private static func count(_ key: BorrowedJSONString, in object: JSONObject) -> Int {
    var count = 0
    for member in object where member.key == key.bytes { count += 1 }
    return count
  }

  /// Skips an unknown member, unless its name may be one in snake case, or its value nested too deeply.
  private static func skip(_ key: BorrowedJSONString, _ value: JSONValue) throws {
    if key.bytes.contains(UInt8(ascii: "_")) { throw NotPlain() }
    if let object = value.objectOrNil, !object.isEmpty { throw NotPlain() }
    if let array = value.arrayOrNil, !array.isEmpty { throw NotPlain() }
  }

  mutating func list<Element>(
    _ value: JSONValue?, _ read: (inout Self, JSONValue) throws -> Element
  ) throws -> [Element] {
    guard let value else { return [] }
    guard let array = value.arrayOrNil else { throw NotPlain() }
    var elements: [Element] = []
    for element in array { elements.append(try read(&self, element)) }
    return elements
  }

  func text(_ value: JSONValue) throws -> String {
    guard let text = value.textOrNil else { throw NotPlain() }
    return text.string
  }

  func flag(_ value: JSONValue) throws -> Bool {
    guard let flag = value.booleanOrNil else { throw NotPlain() }
    return flag
  }

  mutating func number(_ value: JSONValue) throws -> Double {
    guard let number = value.numberOrNil else { throw NotPlain() }
    if number == 0 { hasZero = true }
    return number
  }

  /// A 64-bit integer, as a number or as a text.
  mutating func unsigned(_ value: JSONValue) throws -> UInt64 {
    if let text = value.textOrNil { return try Self.digits(text.bytes[...]) }
    guard value.kind == .integer, let number = value.unsignedIntegerOrNil else { throw NotPlain() }
    if number == 0 { hasZero = true }
    return number
  }

  /// A 64-bit integer with a sign, as a number or as a text.
  mutating func signed(_ value: JSONValue) throws -> Int64 {
    if let text = value.textOrNil {
      let isNegative = text.bytes.first == UInt8(ascii: "-")
      let number = try Self.digits(isNegative ? text.bytes.dropFirst() : text.bytes[...])
      guard let signed = Int64(exactly: number), !isNegative || signed > 0 else { throw NotPlain() }
      return isNegative ? -signed : signed
    }
    guard value.kind == .integer, let number = value.integerOrNil else { throw NotPlain() }
    if number == 0 { hasZero = true }
    return Int64(number)
  }

  /// A 32-bit integer, as a number.
  mutating func small<Number: FixedWidthInteger>(_ value: JSONValue) throws -> Number {
    guard value.kind == .integer, let number = value.integerOrNil.flatMap({ Number(exactly: $0) }) else {
      throw NotPlain()
    }
    if number == 0 { hasZero = true }
    return number
  }

  mutating func temporality(_ value: JSONValue) throws -> OTLPAggregationTemporality {
    if let name = value.textOrNil {
      switch name {
      case "AGGREGATION_TEMPORALITY_DELTA": return .delta
      case "AGGREGATION_TEMPORALITY_CUMULATIVE": return .cumulative
      default: throw NotPlain()
      }
    }
    let number: Int32 = try small(value)
    switch number {
    case 1: return .delta
    case 2: return .cumulative
    default: throw NotPlain()
    }
  }

  /// The number that decimal digits without leading zeros represent.
  private static func digits(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws -> UInt64 {
    guard let first = text.first, text.count < 20, first != UInt8(ascii: "0") || text.count == 1 else {
      throw NotPlain()
    }
    var value: UInt64 = 0
    for digit in text {
      guard (48...57).contains(digit) else { throw NotPlain() }
      value = value * 10 + UInt64(digit - 48)
    }
    return value
  }
}

/// A value on the parser's tape.
///
/// The value is a view, valid only inside the `withDocument` call that created it. Its errors contain its key path,
/// which is computed from the tape only when an error is reported.
public struct JSONValue {
  // simdjson, doc/tape.md: the tag is the upper byte of a word, the payload the other 56 bits.
  @usableFromInline let tape: UnsafePointer<UInt64>
  @usableFromInline let strings: UnsafePointer<UInt8>
  @usableFromInline let index: Int

  @inlinable init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
    self.tape = tape
    self.strings = strings
    self.index = index
  }

  @inlinable @inline(__always) var tag: UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }
  @inlinable @inline(__always) var payload: Int { Int(truncatingIfNeeded: tape[index] & 0x00FF_FFFF_FFFF_FFFF) }

  /// The index of the word on simdjson's tape that follows the value.
  @inlinable @inline(__always) var end: Int {
    switch tag {
    case Tag.object, Tag.array: payload & 0xFFFF_FFFF
    // A tape has less than 2⁵⁶ words, so indices cannot overflow.
    case Tag.signed, Tag.unsigned, Tag.double: index &+ 2
    default: index &+ 1
    }
  }

  @inlinable @inline(__always) func sibling(at index: Int) -> JSONValue {
    JSONValue(tape: tape, strings: strings, index: index)
  }

  @inlinable @inline(__always) var textUnchecked: BorrowedJSONString {
    let start = strings + payload
    let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    return BorrowedJSONString(base: start + 4, count: Int(count))
  }

  @usableFromInline enum Tag {
    @inlinable static var object: UInt8 { UInt8(ascii: "{") }
    @inlinable static var array: UInt8 { UInt8(ascii: "[") }
    @inlinable static var string: UInt8 { UInt8(ascii: "\"") }
    @inlinable static var signed: UInt8 { UInt8(ascii: "l") }
    @inlinable static var unsigned: UInt8 { UInt8(ascii: "u") }
    @inlinable static var double: UInt8 { UInt8(ascii: "d") }
    @inlinable static var yes: UInt8 { UInt8(ascii: "t") }
    @inlinable static var no: UInt8 { UInt8(ascii: "f") }
    @inlinable static var null: UInt8 { UInt8(ascii: "n") }
  }
}

/// The type of a value in a document. Integers and numbers with a fraction or exponent are distinguished.
public enum JSONKind: Sendable {
  case object, array, string, integer, double, boolean, null

  /// The type with its article, for error messages: `an object`.
  var title: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .integer: "an integer"
    case .double: "a number with a fraction"
    case .boolean: "true or false"
    case .null: "null"
    }
  }
}

extension JSONValue {
  /// The JSON type of the value.
  @inlinable @inline(__always) public var kind: JSONKind {
    switch tag {
    case Tag.object: .object
    case Tag.array: .array
    case Tag.string: .string
    case Tag.signed, Tag.unsigned: .integer
    case Tag.double: .double
    case Tag.null: .null
    default: .boolean
    }
  }

  /// The size of the value on the tape, in words of eight bytes: one or two for each value and key inside it.
  public var size: Int { end - index }

  /// The value's position on the tape, for `value(at:)`.
  public var position: Int { index }

  /// The value of the same document with this `position`.
  public func value(at position: Int) -> JSONValue { sibling(at: position) }

  /// Whether the value is JSON's null, which most formats treat as absent.
  @inlinable public var isNull: Bool { tag == Tag.null }

  /// The members of an object, in the document's order; throws for any other type.
  @inlinable public func object() throws(JSONError) -> JSONObject {
    guard tag == Tag.object else { throw mismatch("an object") }
    return JSONObject(value: self)
  }

  /// The elements of an array; throws for any other type.
  @inlinable public func array() throws(JSONError) -> JSONArray {
    guard tag == Tag.array else { throw mismatch("an array") }
    return JSONArray(value: self)
  }

  /// The text of a string, without a copy; throws for any other type.
  @inlinable public func text() throws(JSONError) -> BorrowedJSONString {
    guard tag == Tag.string else { throw mismatch("a string") }
    return textUnchecked
  }

  /// A boolean; throws for any other type, including numbers.
  public func boolean() throws(JSONError) -> Bool {
    switch tag {
    case Tag.yes: return true
    case Tag.no: return false
    default: throw mismatch("true or false")
    }
  }

  /// A whole number that fits an `Int`, also when it is written as `5.0`; throws for anything else.
  @inlinable public func integer() throws(JSONError) -> Int {
    if tag == Tag.signed { return Int(truncatingIfNeeded: tape[index + 1]) }
    return try otherInteger()
  }

  /// A whole number from 0 to 2⁶⁴ − 1, also when it is written as `5.0`; throws for anything else.
  public func unsignedInteger() throws(JSONError) -> UInt64 {
    let whole: UInt64? =
      switch tag {
      case Tag.unsigned: tape[index + 1]
      case Tag.signed: UInt64(exactly: Int64(bitPattern: tape[index + 1]))
      case Tag.double: UInt64(exactly: Double(bitPattern: tape[index + 1]))
      default: throw mismatch("an integer")
      }
    guard let whole else { throw failure("expected an integer from 0 to 18446744073709551615") }
    return whole
  }

  /// Any number; integers beyond 2⁵³ are rounded. Throws for any other type.
  @inlinable public func number() throws(JSONError) -> Double {
    switch tag {
    case Tag.signed: return Double(Int64(bitPattern: tape[index + 1]))
    case Tag.double: return Double(bitPattern: tape[index + 1])
    case Tag.unsigned: return Double(tape[index + 1])
    default: throw mismatch("a number")
    }
  }

  @usableFromInline func otherInteger() throws(JSONError) -> Int {
    guard kind == .integer || kind == .double else { throw mismatch("an integer") }
    guard let whole = otherIntegerOrNil else { throw failure("expected a 64-bit integer") }
    return whole
  }

  /// The error for a value of another type than `expected` ("an integer").
  public func mismatch(_ expected: String) -> JSONError {
    JSONError(.type, at: self, "expected \(expected), found \(kind.title)")
  }

  /// The error for a value that has the right type but is not allowed.
  public func failure(_ problem: String) -> JSONError { JSONError(.value, at: self, problem) }
}

/// Accessors that return nil for a value of another type. Unlike the throwing functions they create no error, which a
/// hostile document could cause for each of its values.
extension JSONValue {
  public var objectOrNil: JSONObject? { tag == Tag.object ? JSONObject(value: self) : nil }

  public var arrayOrNil: JSONArray? { tag == Tag.array ? JSONArray(value: self) : nil }

  public var textOrNil: BorrowedJSONString? { tag == Tag.string ? textUnchecked : nil }

  public var booleanOrNil: Bool? { tag == Tag.yes ? true : tag == Tag.no ? false : nil }

  /// Any number, as returned by `number()`.
  public var numberOrNil: Double? { kind == .integer || kind == .double ? try? number() : nil }

  /// A whole number that fits an `Int`, as returned by `integer()`.
  @inlinable public var integerOrNil: Int? {
    if tag == Tag.signed { return Int(truncatingIfNeeded: tape[index + 1]) }
    return otherIntegerOrNil
  }

  @usableFromInline var otherIntegerOrNil: Int? {
    switch tag {
    case Tag.unsigned: Int(exactly: tape[index + 1])
    case Tag.double: Int(exactly: Double(bitPattern: tape[index + 1]))
    default: nil
    }
  }

  /// A whole number from 0 to 2⁶⁴ − 1, as returned by `unsignedInteger()`.
  public var unsignedIntegerOrNil: UInt64? {
    switch tag {
    case Tag.unsigned: tape[index + 1]
    case Tag.signed: UInt64(exactly: Int64(bitPattern: tape[index + 1]))
    case Tag.double: UInt64(exactly: Double(bitPattern: tape[index + 1]))
    default: nil
    }
  }
}

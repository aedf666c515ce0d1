extension JSONValue {
  /// Its type. Integers and numbers with a fraction or exponent are told apart.
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

  /// How much is in it: one or two for each value and name.
  public var size: Int { end - index }

  /// Whether it is null, which most formats treat as absent.
  @inlinable public var isNull: Bool { tag == Tag.null }

  /// Its members, in the document's order.
  @inlinable public func object() throws(JSONError) -> JSONObject {
    guard tag == Tag.object else { throw mismatch("an object") }
    return JSONObject(value: self)
  }

  /// Its elements.
  @inlinable public func array() throws(JSONError) -> JSONArray {
    guard tag == Tag.array else { throw mismatch("an array") }
    return JSONArray(value: self)
  }

  /// Its text, without a copy.
  @inlinable public func text() throws(JSONError) -> JSONText {
    guard tag == Tag.string else { throw mismatch("a string") }
    return textUnchecked
  }

  /// True or false; no other type stands for one.
  public func boolean() throws(JSONError) -> Bool {
    switch tag {
    case Tag.yes: return true
    case Tag.no: return false
    default: throw mismatch("true or false")
    }
  }

  /// A whole number that fits an `Int`, also when it is written `5.0`.
  @inlinable public func integer() throws(JSONError) -> Int {
    if tag == Tag.signed { return Int(truncatingIfNeeded: tape[index + 1]) }
    return try otherInteger()
  }

  /// A whole number from 0 to 2⁶⁴ − 1.
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

  /// Any number; integers beyond 2⁵³ are rounded.
  @inlinable public func number() throws(JSONError) -> Double {
    switch tag {
    case Tag.signed: return Double(Int64(bitPattern: tape[index + 1]))
    case Tag.double: return Double(bitPattern: tape[index + 1])
    case Tag.unsigned: return Double(tape[index + 1])
    default: throw mismatch("a number")
    }
  }

  @usableFromInline func otherInteger() throws(JSONError) -> Int {
    let whole: Int? =
      switch tag {
      case Tag.unsigned: Int(exactly: tape[index + 1])
      case Tag.double: Int(exactly: Double(bitPattern: tape[index + 1]))
      default: throw mismatch("an integer")
      }
    guard let whole else { throw failure("expected an integer of 64 bits") }
    return whole
  }

  /// The error for a value of another type than `expected` ("an integer").
  public func mismatch(_ expected: String) -> JSONError {
    JSONError(.type, at: self, "expected \(expected), found \(kind.title)")
  }

  /// The error for a value of the right type that cannot be.
  public func failure(_ problem: String) -> JSONError { JSONError(.value, at: self, problem) }
}

/// A value on the parser's tape.
///
/// It is a view, valid only inside the `withDocument` that handed it out, and knows where it stands: every failure
/// names its key path, which is found by walking the tape from the root and so costs nothing until then.
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

  /// The word behind the value.
  @inlinable @inline(__always) var end: Int {
    switch tag {
    case Tag.object, Tag.array: payload & 0xFFFF_FFFF
    case Tag.signed, Tag.unsigned, Tag.double: index + 2
    default: index + 1
    }
  }

  @inlinable func sibling(at index: Int) -> JSONValue { JSONValue(tape: tape, strings: strings, index: index) }

  @inlinable var textUnchecked: JSONText {
    let start = strings + payload
    let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    return JSONText(base: start + 4, count: Int(count))
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

/// The types a value of a document can have.
public enum JSONKind: Sendable {
  case object, array, string, integer, double, boolean, null

  /// `an object`
  public var title: String {
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

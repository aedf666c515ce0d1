/// The value where it has the type one hopes for; nil for any other. No error is made, which a hostile document would have
/// made for each of its values.
extension JSONValue {
  public var objectOrNil: JSONObject? { tag == Tag.object ? JSONObject(value: self) : nil }

  public var arrayOrNil: JSONArray? { tag == Tag.array ? JSONArray(value: self) : nil }

  public var textOrNil: JSONText? { tag == Tag.string ? textUnchecked : nil }

  public var booleanOrNil: Bool? { tag == Tag.yes ? true : tag == Tag.no ? false : nil }

  /// Any number, as `number()` reads it.
  public var numberOrNil: Double? { kind == .integer || kind == .double ? try? number() : nil }

  /// A whole number that fits an `Int`, as `integer()` reads it.
  public var integerOrNil: Int? {
    switch tag {
    case Tag.signed: Int(truncatingIfNeeded: tape[index + 1])
    case Tag.unsigned: Int(exactly: tape[index + 1])
    case Tag.double: Int(exactly: Double(bitPattern: tape[index + 1]))
    default: nil
    }
  }

  /// A whole number from 0 to 2⁶⁴ − 1, as `unsignedInteger()` reads it.
  public var unsignedIntegerOrNil: UInt64? {
    switch tag {
    case Tag.unsigned: tape[index + 1]
    case Tag.signed: UInt64(exactly: Int64(bitPattern: tape[index + 1]))
    case Tag.double: UInt64(exactly: Double(bitPattern: tape[index + 1]))
    default: nil
    }
  }
}

/// A measurement in the style of nearly every device: ASCII digits, optionally with commas between groups or with a
/// fraction after a point, then the unit.
struct PlainMeasurement {
  let number: Double
  let unit: UnsafeBufferPointer<UInt8>

  /// Parses a measurement of this plain style. Nil for any other style, for commas that may be decimal, and for numbers
  /// of more than fifteen digits, which would be rounded.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var value = 0
    var digits = 0
    var group = 0
    var commas = 0
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte &- 48 < 10 {
        value = value &* 10 &+ Int(byte &- 48)
        digits += 1
        group += 1
      } else if byte == UInt8(ascii: ","), group == 3 || group == 2 || (commas == 0 && group == 1), value > 0 {
        commas += 1
        group = 0
      } else {
        break
      }
      at += 1
    }
    guard digits > 0, digits <= 15, commas == 0 || group == 3 else { return nil }
    var scale = 1.0
    if at < bytes.count, bytes[at] == UInt8(ascii: "."), commas == 0 {
      guard let fraction = Self.fraction(bytes[(at + 1)...]), digits + fraction.digits <= 15 else { return nil }
      scale = fraction.scale
      value = value * Int(scale) + fraction.value
      at += 1 + fraction.digits
    }
    if at < bytes.count, bytes[at] == 0x20 { at += 1 }
    number = Double(value) / scale
    unit = UnsafeBufferPointer(rebasing: bytes[at...])
  }

  /// The fast path for most values: a whole number below 10¹², optionally with commas between thousands, then a space
  /// and the unit that Apple writes for the key. Nil for other texts.
  static func whole(_ bytes: UnsafeBufferPointer<UInt8>, _ format: MeasurementFormat) -> Double? {
    let end = bytes.count - format.plainUnit.utf8CodeUnitCount - 1
    guard end > 0, end <= 15, bytes[end] == 0x20 else { return nil }
    var value = 0
    for index in 0..<end {
      let digit = bytes[index] &- 48
      if digit < 10 {
        value = value &* 10 &+ Int(digit)
      } else if bytes[index] != UInt8(ascii: ",") || (end - index) & 3 != 0 || index == 0 {
        // A comma may be decimal if whole groups of three digits do not follow.
        return nil
      } else if bytes[0] == 48 {
        return nil
      }
    }
    guard isGrouped(bytes, end), isUnit(bytes, from: end + 1, format.plainUnit) else { return nil }
    let number = Double(value)
    return format.assumed == format.target ? number : number * format.assumed / format.target
  }

  /// Whether commas separate all thousands or none: "1234,567" is not a whole number.
  private static func isGrouped(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) -> Bool {
    guard end > 4, (0..<end).contains(where: { bytes[$0] == UInt8(ascii: ",") }) else { return true }
    for index in 1..<end where (end - index) & 3 == 0 && bytes[index] != UInt8(ascii: ",") { return false }
    return true
  }

  private static func isUnit(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ unit: StaticString) -> Bool {
    for index in 0..<unit.utf8CodeUnitCount where bytes[start + index] != unit.utf8Start[index] { return false }
    return true
  }

  /// Parses the digits after a decimal point. Nil without digits, or with three, because the point may then separate
  /// thousands.
  private static func fraction(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (value: Int, digits: Int, scale: Double)?
  {
    var value = 0
    var digits = 0
    var scale = 1.0
    for byte in bytes {
      guard byte &- 48 < 10, digits < 15 else { break }
      value = value * 10 + Int(byte - 48)
      scale *= 10
      digits += 1
    }
    return digits == 0 || digits == 3 ? nil : (value, digits, scale)
  }
}

/// The style that nearly every device writes: ASCII digits, perhaps with commas between groups or a fraction behind a
/// point, then the unit.
struct PlainMeasurement {
  let number: Double
  let unit: UnsafeBufferPointer<UInt8>

  /// Nil for any other style, for commas that may be decimal, and for numbers so long that they would be rounded.
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

  /// The digits behind a point; nil for three, which may be a group, and for none.
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

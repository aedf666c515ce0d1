/// The style that nearly every device writes: ASCII digits, perhaps with commas between groups, then the unit.
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
    if at < bytes.count, bytes[at] == 0x20 { at += 1 }
    number = Double(value)
    unit = UnsafeBufferPointer(rebasing: bytes[at...])
  }
}

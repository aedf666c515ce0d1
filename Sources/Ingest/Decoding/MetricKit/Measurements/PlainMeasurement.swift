import Core

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

  /// The fast path for most values: a whole number of at most fifteen digits, optionally with commas between all
  /// thousands, then a space and the unit that Apple writes for the key. Nil for other texts.
  static func whole(_ text: BorrowedJSONString, _ format: MeasurementFormat) -> Double? {
    let first = DigitGroup(text.word(at: 0))
    var value = first.value
    var end = first.count
    guard end > 0, end <= text.count else { return nil }
    if end == 8 {
      let more = DigitGroup(text.word(at: 8))
      guard more.count < 8 else { return nil }
      if more.count > 0 { value = value &* more.scale &+ more.value }
      end &+= more.count
    } else if end <= 3, text.bytes[0] != 48 {
      while end < 12, end < text.count, text.bytes[end] == UInt8(ascii: ",") {
        let thousands = DigitGroup(text.word(at: end &+ 1))
        // Otherwise the comma may be decimal.
        guard thousands.count == 3 else { return nil }
        value = value &* 1000 &+ thousands.value
        end &+= 4
      }
    }
    guard format.isPlainUnit(text, from: end) else { return nil }
    return format.converted(Double(Int64(truncatingIfNeeded: value)), scale: format.assumed)
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

/// Up to eight digits at the beginning of eight bytes of a text.
private struct DigitGroup {
  let count: Int
  /// The bytes less 48.
  private let digits: UInt64

  @inline(__always) init(_ word: UInt64) {
    digits = word ^ 0x3030_3030_3030_3030
    // A byte from 0 to 9 stays below 128. The first other byte reaches 128, whatever the bytes after it are.
    let others = (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
    count = others.trailingZeroBitCount &>> 3
  }

  /// Ten to the power of `count`.
  var scale: UInt64 { (0..<count).reduce(1) { power, _ in power &* 10 } }

  /// The number that the digits form; any value without digits.
  @inline(__always) var value: UInt64 {
    // Pairs, fours and all eight are combined by one multiplication each. The first digit is in the lowest byte, so
    // missing digits become leading zeros.
    var sums = digits &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    sums = (sums &* (10 << 8 | 1)) &>> 8 & 0x00FF_00FF_00FF_00FF
    sums = (sums &* (100 << 16 | 1)) &>> 16 & 0x0000_FFFF_0000_FFFF
    return (sums &* (10_000 << 32 | 1)) &>> 32
  }
}

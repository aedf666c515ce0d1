internal import JSON

/// An event's id: a UUID of 32 hexadecimal digits, with or without dashes.
struct SentryEventID: Equatable {
  /// 32 lower-case hexadecimal digits.
  let text: String
  /// What makes an event the same one when it comes again.
  let identity: UInt64

  /// Nil for another text, and for the id that is all zeros.
  init?(_ text: JSONText) {
    guard text.count == 32 || text.count == 36 else { return nil }
    let digits = text.bytes.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32, let high = Self.number(digits[..<16]), let low = Self.number(digits[16...]),
      high | low != 0
    else { return nil }
    self.text = String(decoding: digits, as: UTF8.self).lowercased()
    let product = (high ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: low | 1)
    identity = product.high ^ product.low ^ low
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      switch digit {
      case 48...57: value = value << 4 | UInt64(digit - 48)
      case 65...70: value = value << 4 | UInt64(digit - 55)
      case 97...102: value = value << 4 | UInt64(digit - 87)
      default: return nil
      }
    }
    return value
  }
}

import Core

/// An event id: a UUID of 32 hexadecimal digits, with or without hyphens.
struct SentryEventID: Equatable {
  /// The id as 32 lower-case hexadecimal digits.
  let text: String
  /// The id as a 64-bit hash. It recognises an event that is sent again.
  let identity: UInt64

  /// Parses an id; nil for any other text, and for the id of zeros.
  init?(_ text: BorrowedJSONString) {
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

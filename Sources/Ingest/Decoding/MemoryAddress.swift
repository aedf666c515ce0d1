internal import Core

/// Parses numbers written as `"0x1a2b"`, `"6699"` or 6699.
enum MemoryAddress {
  static func read(_ value: JSONValue) -> UInt64? {
    switch value.kind {
    case .integer:
      if let number = value.unsignedIntegerOrNil { return number }
      return (value.integerOrNil).map { UInt64(bitPattern: Int64($0)) }
    case .string: return value.textOrNil.flatMap(read)
    default: return nil
    }
  }

  private static func read(_ text: BorrowedJSONString) -> UInt64? {
    guard (1...20).contains(text.count) else { return nil }
    var digits = text.bytes
    let isHexadecimal = digits.count > 1 && digits[0] == UInt8(ascii: "0") && digits[1] | 0x20 == UInt8(ascii: "x")
    if isHexadecimal { digits = UnsafeBufferPointer(rebasing: digits[2...]) }
    let sign = digits.first
    if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { digits = UnsafeBufferPointer(rebasing: digits[1...]) }
    let number = isHexadecimal ? hexadecimal(digits) : decimal(digits)
    return sign == UInt8(ascii: "-") && number != 0 ? nil : number
  }

  /// The number with at least one and at most 18 hexadecimal digits; nil for any other text.
  private static func hexadecimal(_ digits: UnsafeBufferPointer<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      guard let nibble = nibble(digit), value >> 60 == 0 else { return nil }
      value = value << 4 | nibble
    }
    return digits.isEmpty ? nil : value
  }

  private static func decimal(_ digits: UnsafeBufferPointer<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      let (tens, isLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(UInt64(digit - 48))
      if isLarge || isLarger { return nil }
      value = sum
    }
    return digits.isEmpty ? nil : value
  }

  private static func nibble(_ digit: UInt8) -> UInt64? {
    switch digit {
    case 48...57: UInt64(digit - 48)
    case 65...70: UInt64(digit - 55)
    case 97...102: UInt64(digit - 87)
    default: nil
    }
  }
}

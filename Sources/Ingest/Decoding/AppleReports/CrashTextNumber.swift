internal import Core

/// Parses the numbers of `.crash` reports.
enum CrashTextNumber {
  /// Parses a hexadecimal address of up to 64 bits: `0x102a38000`.
  static func address(_ text: some Collection<UInt8>) -> UInt64? {
    guard (3...18).contains(text.count), text.starts(with: [0x30, 0x78]) else { return nil }
    var value: UInt64 = 0
    for digit in text.dropFirst(2) {
      switch digit {
      case 48...57: value = value << 4 | UInt64(digit - 48)
      case 65...70: value = value << 4 | UInt64(digit - 55)
      case 97...102: value = value << 4 | UInt64(digit - 87)
      default: return nil
      }
    }
    return value
  }

  static func address(_ text: some StringProtocol) -> UInt64? { address(text.utf8) }

  /// Parses a decimal number: `17624`.
  static func decimal(_ text: some Collection<UInt8>) -> UInt64? {
    guard !text.isEmpty else { return nil }
    var value: UInt64 = 0
    for digit in text {
      guard (48...57).contains(digit) else { return nil }
      let (tens, isLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(UInt64(digit - 48))
      if isLarge || isLarger { return nil }
      value = sum
    }
    return value
  }

  /// Parses a hexadecimal or decimal number: `0x8badf00d`, `11`.
  static func any(_ text: some StringProtocol) -> UInt64? { address(text) ?? decimal(text.utf8) }
}

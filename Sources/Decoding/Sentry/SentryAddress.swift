internal import JSON

/// Numbers that may stand as `"0x1a2b"`, `"6699"` or 6699.
enum SentryAddress {
  static func read(_ value: JSONValue) -> UInt64? {
    switch value.kind {
    case .integer:
      if let number = value.unsignedIntegerOrNil { return number }
      return (value.integerOrNil).map { UInt64(bitPattern: Int64($0)) }
    case .string: return value.textOrNil.flatMap(read)
    default: return nil
    }
  }

  private static func read(_ text: JSONText) -> UInt64? {
    guard (1...20).contains(text.count) else { return nil }
    let text = text.string
    let isHexadecimal = text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8)
    return isHexadecimal ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }
}

/// Percent-encoding as RFC 3986 §2.1 has it, and the query form of the URL standard (`+` is a space).
///
/// A `%` that is not followed by two hexadecimal digits stands for itself; bytes that are not UTF-8 become U+FFFD.
enum PercentEncoding {
  static func decode(_ text: some StringProtocol) -> String {
    decode(text, plus: UInt8(ascii: "+"))
  }

  /// The parts of an escaped path; empty parts (doubled, leading and trailing slashes) are left out.
  static func segments(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { decode(Substring($0)) }
  }

  /// The parameters of an escaped query, in order.
  static func query(_ text: Substring) -> [(name: String, value: String)] {
    text.utf8.split(separator: UInt8(ascii: "&")).map { part in
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = decode(Substring(sides[0]), plus: UInt8(ascii: " "))
      return (name, sides.count > 1 ? decode(Substring(sides[1]), plus: UInt8(ascii: " ")) : "")
    }
  }

  private static func decode(_ text: some StringProtocol, plus: UInt8) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = digit(rest.first), let low = digit(rest.dropFirst().first) {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? plus : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    switch byte {
    case .some(let byte) where byte >= 0x30 && byte <= 0x39: byte - 0x30
    case .some(let byte) where byte >= 0x41 && byte <= 0x46: byte - 0x41 + 10
    case .some(let byte) where byte >= 0x61 && byte <= 0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

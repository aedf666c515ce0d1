/// Percent-encoding by RFC 3986 §2.1, and the query form of the URL standard, in which `+` is a space.
///
/// A `%` that is not followed by two hexadecimal digits is kept; invalid UTF-8 becomes U+FFFD.
public enum PercentEncoding {
  /// Encodes every byte of UTF-8 except unreserved characters as `%XX`, so that the result is safe in any part of a
  /// URL.
  public static func encode(_ text: String) -> String { encode(text, keeping: isUnreserved) }

  /// Encodes every byte of UTF-8 for which `isKept` is false as `%XX`.
  public static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isKept(byte) {
        bytes.append(byte)
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 15))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a byte is one of `A–Z a–z 0–9 - . _ ~` (RFC 3986 §2.3).
  public static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ nibble: UInt8) -> UInt8 { nibble + (nibble < 10 ? 0x30 : 0x37) }

  /// Decodes a path. A `+` stays a `+`.
  public static func decode(_ text: String) -> String {
    text.utf8.contains(UInt8(ascii: "%")) ? decode(text[...], plus: UInt8(ascii: "+")) : text
  }

  /// The decoded segments of a path, without empty ones (from doubled, leading and trailing slashes).
  public static func segments(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { decode(String(Substring($0))) }
  }

  /// The decoded parameters of a query, in order.
  public static func query(_ text: Substring) -> [(name: String, value: String)] {
    text.utf8.split(separator: UInt8(ascii: "&")).map { part in
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = decode(Substring(sides[0]), plus: UInt8(ascii: " "))
      return (name, sides.count > 1 ? decode(Substring(sides[1]), plus: UInt8(ascii: " ")) : "")
    }
  }

  private static func decode(_ text: Substring, plus: UInt8) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text).streamSafe
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = digit(rest.first), let low = digit(rest.dropFirst().first) {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? plus : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self).streamSafe
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

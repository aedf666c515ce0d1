import Analysis
import Core

/// Encodes any text as a segment of an address or as a file name, without loss.
enum PathEncoding {
  /// The text with everything but unreserved characters of RFC 3986 as %XX of its UTF-8.
  static func percent(_ text: String) -> String { PercentEncoding.encode(text) }

  /// The text as a file name: like percent-encoding but with `_`, which needs no second encoding in a link. Capital
  /// letters are escaped because file systems may ignore case, a leading dot because `..` is a folder. File systems
  /// allow 255 bytes per name, so a longer one is split into folders, whose names are one byte longer than any last
  /// part can be.
  static func file(_ text: String) -> String {
    let encoded = encode(text, escape: UInt8(ascii: "_"), digits: Array("0123456789abcdef".utf8)) { byte, index in
      isLowercaseOrDigit(byte) || byte == UInt8(ascii: "-") || (byte == UInt8(ascii: ".") && index > 0)
    }
    var rest = encoded.utf8[...]
    var parts: [String] = []
    while rest.count > longestPart {
      parts.append(String(decoding: rest.prefix(longestPart), as: UTF8.self) + "_")
      rest = rest.dropFirst(longestPart)
    }
    let last = String(decoding: rest, as: UTF8.self)
    return (parts + [last.isEmpty ? "_" : last]).joined(separator: "/")
  }

  private static let longestPart = 200

  private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func encode(
    _ text: String, escape: UInt8, digits: [UInt8], keeping isKept: (UInt8, Int) -> Bool
  ) -> String {
    var bytes: [UInt8] = []
    for (index, byte) in text.utf8.enumerated() {
      if isKept(byte, index) {
        bytes.append(byte)
      } else {
        bytes += [escape, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

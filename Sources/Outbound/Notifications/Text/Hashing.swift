internal import Core

/// SHA-256 and HMAC-SHA256 as hexadecimal text.
enum Hashing {
  /// SHA-256 in lower-case hexadecimal digits.
  static func hex(_ text: String) -> String { Hex.encode(MessageDigest.sha256(text.utf8)) }

  /// HMAC-SHA256 in lower-case hexadecimal digits.
  static func signature(_ bytes: [UInt8], key: String) -> String { Hex.encode(HMACSHA256(key: key.utf8).code(bytes)) }
}

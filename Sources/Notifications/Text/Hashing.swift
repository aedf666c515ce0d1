internal import Crypto
internal import Foundation

/// SHA-256 and HMAC-SHA256 as hexadecimal text.
enum Hashing {
  /// SHA-256 in lower-case hexadecimal digits.
  static func hex(_ text: String) -> String { hex(SHA256.hash(data: Data(text.utf8))) }

  /// HMAC-SHA256 in lower-case hexadecimal digits.
  static func signature(_ bytes: [UInt8], key: String) -> String {
    hex(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: Data(key.utf8))))
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".unicodeScalars)
    var result = String.UnicodeScalarView()
    for byte in bytes { result.append(contentsOf: [digits[Int(byte >> 4)], digits[Int(byte & 15)]]) }
    return String(result)
  }
}

internal import Core

/// Generates random keys, tokens and session ids.
public enum KeyGenerator {
  /// An ingest key: 32 lower-case hexadecimal digits, 128 bits.
  public static func ingestKey() -> String {
    var random = SystemRandomNumberGenerator()
    return ingestKey(using: &random)
  }

  /// An ingest key from the given source of randomness.
  public static func ingestKey(using random: inout some RandomNumberGenerator) -> String {
    Hex.encode(bytes(16, using: &random))
  }

  /// A read token: `plumb_` and 43 letters and digits, 256 bits.
  public static func readToken() -> String {
    var random = SystemRandomNumberGenerator()
    return TokenHash.prefix + base62(43, using: &random)
  }

  /// The id of a login session: 32 bytes in hexadecimal.
  static func sessionID() -> String {
    var random = SystemRandomNumberGenerator()
    return Hex.encode(bytes(32, using: &random))
  }

  static func bytes(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  static func base62(_ count: Int, using random: inout some RandomNumberGenerator) -> String {
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    let digits = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
    return String(decoding: digits, as: UTF8.self)
  }
}

/// The stored hash of a read token. Tokens have 256 random bits, so a plain SHA-256 cannot be reversed by guessing.
public enum TokenHash {
  /// The prefix of every read token, for recognition by people and secret scanners.
  static let prefix = "plumb_"

  /// The SHA-256 of the token's text in hexadecimal; nil for text that is not a read token.
  public static func of(_ token: String) -> String? {
    guard token.utf8.starts(with: prefix.utf8), token.utf8.count <= 256 else { return nil }
    return Hex.encode(MessageDigest.sha256(token.utf8))
  }
}

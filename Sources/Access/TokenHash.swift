internal import Crypto

/// What is stored of a read token. Tokens are long and random, so a plain hash cannot be searched.
public enum TokenHash {
  /// How every read token begins, so that people and secret scanners recognise one.
  public static let prefix = "plumb_"

  /// SHA-256 of the token's text in hexadecimal; nil for a text that is no read token.
  public static func of(_ token: String) -> String? {
    guard token.utf8.starts(with: prefix.utf8), token.utf8.count <= 256 else { return nil }
    return Hex.encode(SHA256.hash(data: Array(token.utf8)))
  }
}

/// The keyed hash that replaces ids of users and sessions before they are stored: HMAC-SHA256 with the data folder's
/// secret.
///
/// Without the secret, stored hashes cannot be matched with known ids. Equal ids in different scopes have different
/// hashes.
public struct KeyedIDHash: Sendable {
  private let hmac: HMACSHA256

  /// Creates the hash. `secret`: the bytes that `SecretFile.readOrCreate` returns.
  public init(secret: [UInt8]) { hmac = HMACSHA256(key: secret) }

  /// The first eight bytes, big endian, of HMAC(secret, scope ‖ 0 ‖ text). The scope, such as `com.example.shop`, must
  /// not contain a zero byte.
  public func hash(_ text: String, scope: String) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: scope.utf8.count + 1 + text.utf8.count) { message in
      let end = message.initialize(fromContentsOf: scope.utf8)
      message[end] = 0
      _ = message[(end + 1)...].initialize(fromContentsOf: text.utf8)
      return hmac.firstWord(UnsafeRawBufferPointer(message))
    }
  }

  /// All 32 bytes of the HMAC, for authentication codes and for keys derived from the secret.
  public func code(_ text: String, scope: String) -> [UInt8] { hmac.code((scope + "\0" + text).utf8) }
}

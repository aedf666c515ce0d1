internal import Crypto

/// The keyed hash that replaces ids of users and sessions before they are stored: HMAC-SHA256 (RFC 2104) under the data
/// folder's secret.
///
/// Without the secret, stored hashes cannot be matched with known ids. Equal ids of different scopes have different
/// hashes.
public struct IdentityHash: Sendable {
  private let key: SymmetricKey

  /// `secret`: the bytes that `SecretFile.readOrCreate` returns.
  public init(secret: [UInt8]) { key = SymmetricKey(data: secret) }

  /// The first eight bytes, big endian, of HMAC(secret, scope ‖ 0 ‖ text). The scope, such as `com.example.shop`, must
  /// hold no zero byte.
  public func hash(_ text: String, scope: String) -> UInt64 {
    var code = HMAC<SHA256>(key: key)
    var scope = scope
    var text = text
    scope.withUTF8 { code.update(data: UnsafeRawBufferPointer($0)) }
    code.update(data: [0])
    text.withUTF8 { code.update(data: UnsafeRawBufferPointer($0)) }
    return code.finalize().withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
  }
}

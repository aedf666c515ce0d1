internal import Crypto

/// The keyed hash that replaces ids of users and sessions before they are stored: HMAC-SHA256 (RFC 2104) under the data
/// folder's secret.
///
/// Without the secret, stored hashes cannot be matched with known ids. Equal ids of different scopes have different
/// hashes.
public struct IdentityHash: Sendable {
  /// The hash after the key's first block, and that of the second pass: what every HMAC with the key starts with.
  private let inner: SHA256
  private let outer: SHA256

  /// `secret`: the bytes that `SecretFile.readOrCreate` returns.
  public init(secret: [UInt8]) {
    let key = secret.count > SHA256.blockByteCount ? Array(SHA256.hash(data: secret)) : secret
    let block = key + [UInt8](repeating: 0, count: SHA256.blockByteCount - key.count)
    var hashes = (SHA256(), SHA256())
    hashes.0.update(data: block.map { $0 ^ 0x36 })
    hashes.1.update(data: block.map { $0 ^ 0x5c })
    (inner, outer) = hashes
  }

  /// The first eight bytes, big endian, of HMAC(secret, scope ‖ 0 ‖ text). The scope, such as `com.example.shop`, must
  /// hold no zero byte.
  public func hash(_ text: String, scope: String) -> UInt64 {
    digest(text, scope).withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  /// All 32 bytes of the HMAC, for authentication codes and for keys derived from the secret.
  func code(_ text: String, scope: String) -> [UInt8] { Array(digest(text, scope)) }

  private func digest(_ text: String, _ scope: String) -> SHA256.Digest {
    var message = scope + "\0" + text
    var first = inner
    message.withUTF8 { first.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    var second = outer
    first.finalize().withUnsafeBytes { second.update(bufferPointer: $0) }
    return second.finalize()
  }
}

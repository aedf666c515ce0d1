import CCrypto

/// A private P-256 key, which signs with ECDSA and SHA-256 (ES256 of RFC 7518).
///
/// Unchecked: the state is only read between `init` and `deinit`.
public final class SigningKey: @unchecked Sendable {
  private let state: OpaquePointer

  /// The key in a PEM text, such as a `.p8` file of Apple (PKCS #8). Nil for other kinds of keys, and for
  /// encrypted ones.
  public init?(pem: [UInt8]) {
    let found = pem.withUnsafeBytes { bytes in
      plumb_key_private_p256(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard let found else { return nil }
    state = found
  }

  deinit { plumb_key_free(state) }

  /// The signature of the bytes: r and s of 32 bytes each. Nil if OpenSSL cannot sign.
  public func signature(of bytes: [UInt8]) -> [UInt8]? {
    var pair = [UInt8](repeating: 0, count: 64)
    return plumb_key_sign(state, bytes, bytes.count, &pair) ? pair : nil
  }
}

internal import CCrypto

/// A public key that checks signatures of SHA-256.
///
/// Unchecked: the state is only read between `init` and `deinit`.
public final class PublicKey: @unchecked Sendable {
  private let state: OpaquePointer

  private init?(_ state: OpaquePointer?) {
    guard let state else { return nil }
    self.state = state
  }

  deinit { plumb_key_free(state) }

  /// An RSA key from its big-endian numbers, for signatures of PKCS #1 1.5. Nil unless the modulus is odd and has 2048 to
  /// 8192 bits, and the exponent is odd, at least 3 and has at most 33 bits.
  public static func rsa(modulus: [UInt8], exponent: [UInt8]) -> PublicKey? {
    PublicKey(plumb_key_rsa(modulus, modulus.count, exponent, exponent.count))
  }

  /// A key of P-256 from the big-endian coordinates of its point, for signatures of ECDSA. Nil unless both have 32 bytes
  /// and the point is on the curve.
  public static func p256(x: [UInt8], y: [UInt8]) -> PublicKey? {
    x.count == 32 && y.count == 32 ? PublicKey(plumb_key_p256(x, y)) : nil
  }

  /// Whether the key made the signature of the bytes. A signature of ECDSA is r and s of 32 bytes each.
  public func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    plumb_key_verifies(state, signature, signature.count, bytes, bytes.count)
  }
}

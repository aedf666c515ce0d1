import CCrypto

/// A cryptographic hash of bytes that are added in portions.
public struct MessageDigest: ~Copyable {
  /// The hash algorithms (FIPS 180-4).
  public enum Algorithm: Sendable {
    case sha256
    /// Insecure: only for protocols that use it for identifiers.
    case sha1
  }

  private let state: OpaquePointer
  private let size: Int

  public init(_ algorithm: Algorithm) {
    (state, size) =
      switch algorithm {
      case .sha256: (plumb_sha256_new(), Int(PLUMB_SHA256_BYTES))
      case .sha1: (plumb_sha1_new(), Int(PLUMB_SHA1_BYTES))
      }
  }

  deinit { plumb_hash_free(state) }

  /// Adds bytes to the hash.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    plumb_hash_update(state, bytes.baseAddress, bytes.count)
  }

  /// The hash of all bytes: 32 bytes for SHA-256, 20 for SHA-1.
  public consuming func finalize() -> [UInt8] { output(size) { plumb_hash_finish(state, $0) } }

  /// The SHA-256 hash of `bytes`.
  public static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var digest = MessageDigest(.sha256)
    withBytes(bytes) { digest.update($0) }
    return digest.finalize()
  }

  /// The SHA-256 hash of a text, in lower-case hexadecimal digits.
  public static func sha256Hex(_ text: String) -> String { Hex.encode(sha256(text.utf8)) }
}

/// Passes the bytes to `body`, without a copy if they are contiguous.
func withBytes<Result>(_ bytes: some Sequence<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  bytes.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(bytes).withUnsafeBytes(body)
}

/// An array of `count` bytes that `write` fills.
func output(_ count: Int, _ write: (UnsafeMutablePointer<UInt8>?) -> Void) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
    write(buffer.baseAddress)
    written = count
  }
}

/// HMAC-SHA256 (RFC 2104) with one key.
///
/// Unchecked: the state is only read between `init` and `deinit`.
public final class HMACSHA256: @unchecked Sendable {
  private let state: OpaquePointer

  /// `key` may have any length.
  public init(key: some Sequence<UInt8>) {
    state = withBytes(key) { plumb_hmac_new($0.baseAddress, $0.count) }
  }

  deinit { plumb_hmac_free(state) }

  /// The message's authentication code, 32 bytes.
  public func code(_ message: some Sequence<UInt8>) -> [UInt8] {
    withBytes(message) { message in
      output(Int(PLUMB_SHA256_BYTES)) { plumb_hmac_code(state, message.baseAddress, message.count, $0) }
    }
  }

  /// The first eight bytes of the message's authentication code, big endian.
  func firstWord(_ message: UnsafeRawBufferPointer) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PLUMB_SHA256_BYTES)) { code in
      plumb_hmac_code(state, message.baseAddress, message.count, code.baseAddress)
      return UInt64(bigEndian: UnsafeRawBufferPointer(code).loadUnaligned(as: UInt64.self))
    }
  }
}

/// A comparison of bytes whose duration does not depend on where they differ.
public enum ConstantTime {
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && plumb_equal(left, right, left.count)
  }
}

/// The scrypt function (RFC 7914) with bounded parameters: a damaged stored hash must not allocate gigabytes.
public enum Scrypt {
  public struct Parameters: Equatable, Sendable {
    /// The base-2 logarithm of scrypt's cost N.
    public let costLog: Int
    public let blockSize: Int
    public let parallelism: Int

    /// The parameters of new hashes: N = 2^15, r = 8, p = 1, which take 32 MiB.
    public static let standard = Parameters(costLog: 15, blockSize: 8, parallelism: 1)

    private init(costLog: Int, blockSize: Int, parallelism: Int) {
      (self.costLog, self.blockSize, self.parallelism) = (costLog, blockSize, parallelism)
    }

    /// Parses `ln=15,r=8,p=1`. Nil for any other form, and for parameters that need more than 128 MiB or 16 times the
    /// standard work.
    public init?(_ text: Substring) {
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 3, let cost = Self.value("ln", parts[0]), let block = Self.value("r", parts[1]),
        let parallelism = Self.value("p", parts[2]), (1...20).contains(cost), (1...32).contains(block),
        (1...16).contains(parallelism), (128 * block) << cost <= Scrypt.mostMemory
      else { return nil }
      self.init(costLog: cost, blockSize: block, parallelism: parallelism)
    }

    /// The parameters as stored in a hash: `ln=15,r=8,p=1`.
    public var text: String { "ln=\(costLog),r=\(blockSize),p=\(parallelism)" }

    private static func value(_ name: String, _ part: Substring) -> Int? {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      return sides.count == 2 && sides[0] == name ? Int(sides[1]) : nil
    }
  }

  private static let mostMemory = 128 << 20

  /// Derives a key of `count` bytes; nil for parameters that scrypt does not allow, such as r = 1 with N = 2^16.
  public static func derive(_ password: [UInt8], salt: [UInt8], _ parameters: Parameters, count: Int) -> [UInt8]? {
    var key = [UInt8](repeating: 0, count: count)
    // The function needs a few additional kilobytes.
    let isDerived = plumb_scrypt(
      password, password.count, salt, salt.count, 1 << parameters.costLog, UInt64(parameters.blockSize),
      UInt64(parameters.parallelism), UInt64(mostMemory + (1 << 20)), &key, count)
    return isDerived ? key : nil
  }
}

/// A public key that verifies signatures with SHA-256.
///
/// Unchecked: the state is only read between `init` and `deinit`.
public final class PublicKey: @unchecked Sendable {
  private let state: OpaquePointer

  private init?(_ state: OpaquePointer?) {
    guard let state else { return nil }
    self.state = state
  }

  deinit { plumb_key_free(state) }

  /// An RSA key from its big-endian numbers, for PKCS #1 v1.5 signatures. Nil unless the modulus is odd and has 2048 to
  /// 8192 bits, and the exponent is odd, at least 3 and at most 33 bits long.
  public static func rsa(modulus: [UInt8], exponent: [UInt8]) -> PublicKey? {
    PublicKey(plumb_key_rsa(modulus, modulus.count, exponent, exponent.count))
  }

  /// A P-256 key from the big-endian coordinates of its point, for ECDSA signatures. Nil unless both coordinates have
  /// 32 bytes and the point is on the curve.
  public static func p256(x: [UInt8], y: [UInt8]) -> PublicKey? {
    x.count == 32 && y.count == 32 ? PublicKey(plumb_key_p256(x, y)) : nil
  }

  /// Whether the signature of the bytes was made with this key. An ECDSA signature is r and s of 32 bytes each.
  public func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    plumb_key_verifies(state, signature, signature.count, bytes, bytes.count)
  }
}

internal import CCrypto

/// A hash of bytes that may come in portions.
public struct MessageDigest: ~Copyable {
  /// The algorithms (FIPS 180-4).
  public enum Algorithm: Sendable {
    case sha256
    /// Protects nothing any more: only for protocols that name things by it.
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

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    plumb_hash_update(state, bytes.baseAddress, bytes.count)
  }

  /// The hash of all bytes: 32 or 20.
  public consuming func finalize() -> [UInt8] { output(size) { plumb_hash_finish(state, $0) } }

  /// SHA-256 of bytes at hand.
  public static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var digest = MessageDigest(.sha256)
    withBytes(bytes) { digest.update($0) }
    return digest.finalize()
  }

  /// SHA-256 of a text, in lower-case hexadecimal digits.
  public static func sha256Hex(_ text: String) -> String { Hex.encode(sha256(text.utf8)) }
}

/// Lower-case hexadecimal digits.
public enum Hex {
  /// Two digits for each byte.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Passes bytes on where they lie.
func withBytes<Result>(_ bytes: some Sequence<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  bytes.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(bytes).withUnsafeBytes(body)
}

/// Bytes that `write` fills.
func output(_ count: Int, _ write: (UnsafeMutablePointer<UInt8>?) -> Void) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
    write(buffer.baseAddress)
    written = count
  }
}

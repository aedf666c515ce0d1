internal import CCrypto

/// HMAC-SHA256 (RFC 2104) with one key.
///
/// Unchecked: the state is only read between `init` and `deinit`.
public final class HMACSHA256: @unchecked Sendable {
  private let state: OpaquePointer

  /// `key`: of any length.
  public init(key: some Sequence<UInt8>) {
    state = withBytes(key) { plumb_hmac_new($0.baseAddress, $0.count) }
  }

  deinit { plumb_hmac_free(state) }

  /// The 32 bytes of a message's authentication code.
  public func code(_ message: some Sequence<UInt8>) -> [UInt8] {
    withBytes(message) { message in
      output(Int(PLUMB_SHA256_BYTES)) { plumb_hmac_code(state, message.baseAddress, message.count, $0) }
    }
  }
}

/// Compares bytes in a time that does not depend on where they differ.
public enum ConstantTime {
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && plumb_equal(left, right, left.count)
  }
}

/// Checks of response header fields (RFC 9110 §5).
enum HeaderFieldCheck {
  /// Whether the name is a token and the value is one line without control characters.
  static func isValid(_ name: String, _ value: String) -> Bool {
    !name.utf8.isEmpty && name.utf8.allSatisfy(isToken)
      && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }

  /// Whether only the server writes this field, such as `Content-Length`.
  static func isServers(_ name: String) -> Bool {
    ["content-length", "transfer-encoding", "date"].contains { ASCII.equal(name, $0) }
  }

  /// Whether a byte may occur in a field name (a `token` of RFC 9110 §5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    byte < 64
      ? (0x03FF_6CFA_0000_0000 as UInt64) >> UInt64(byte) & 1 == 1
      : byte < 128 && (0x57FF_FFFF_C7FF_FFFE as UInt64) >> UInt64(byte - 64) & 1 == 1
  }
}

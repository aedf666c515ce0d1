/// The rules for header fields of answers (RFC 9110 §5).
enum HeaderField {
  /// Whether name and value are one well-formed line: a token, then text without control characters.
  static func isValid(_ name: String, _ value: String) -> Bool {
    !name.utf8.isEmpty && name.utf8.allSatisfy(isToken)
      && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }

  /// Whether the server writes this field itself.
  static func isServers(_ name: String) -> Bool {
    ["content-length", "transfer-encoding", "date"].contains { ASCII.equal(name, $0) }
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

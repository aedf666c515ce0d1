/// A mail address that is safe in a header and in an SMTP command: `LOCAL@DOMAIN` in plain ASCII (RFC 5321 §4.1.2
/// without quoted local parts and address literals).
struct MailAddress: Sendable, Equatable, CustomStringConvertible {
  /// The whole address: `oncall@example.com`.
  let description: String
  /// The part after `@`: `example.com`.
  let domain: String

  /// Parses an address. Nil for any other text, such as an address with a display name.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].count), (1...255).contains(parts[1].count),
      parts[0].allSatisfy(Self.isLocal), parts[1].allSatisfy(Self.isDomain),
      parts[1].first != UInt8(ascii: "-"), parts[1].first != UInt8(ascii: ".")
    else { return nil }
    description = text
    domain = String(decoding: parts[1], as: UTF8.self)
  }

  private static func isDomain(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  private static func isLocal(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || Array("!#$%&'*+-/=?^_`{|}~.".utf8).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

import Bytes

extension String {
  /// This address if it is one a person may be sent to: http or https, and nothing in it that could end it early in
  /// markup. What else is in it is percent-encoded.
  var webLink: String? {
    guard hasPrefix("https://") || hasPrefix("http://"), utf8.count <= 2000 else { return nil }
    return PercentEncoding.encode(self, keeping: Self.isPlain)
  }

  /// Characters of RFC 3986 without those that Slack, Markdown or HTML read as an end.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: Array("-._~:/?#@!$&+,;=%".utf8).contains(byte)
    }
  }
}

extension String {
  /// This address if it is one a person may be sent to: http or https, and nothing in it that could end it early in
  /// markup. What else is in it is percent-encoded.
  var webLink: String? {
    guard hasPrefix("https://") || hasPrefix("http://"), utf8.count <= 2000 else { return nil }
    var result: [UInt8] = []
    for byte in utf8 {
      if Self.isPlain(byte) {
        result.append(byte)
      } else {
        result += Array("%".utf8) + [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Characters of RFC 3986 without those that Slack, Markdown or HTML read as an end.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: Array("-._~:/?#@!$&+,;=%".utf8).contains(byte)
    }
  }
}

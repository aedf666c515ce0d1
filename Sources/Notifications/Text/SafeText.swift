internal import Bytes

extension String {
  /// This text as one line: line breaks and runs of white space become one space, and characters that are invisible or
  /// change the direction of others become U+FFFD.
  ///
  /// Works on scalars: `\r\n` is one `Character`, and so is a line feed with a combining mark.
  var oneLine: String {
    var result = String.UnicodeScalarView()
    var isSpacePending = false
    for scalar in unicodeScalars {
      if scalar.properties.isWhitespace {
        isSpacePending = !result.isEmpty
        continue
      }
      if isSpacePending { result.append(" ") }
      isSpacePending = false
      result.append(scalar.isDeceptive ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Controls, marks of direction (U+202A to U+202E, U+2066 to U+2069), tags and zero-width characters. Joiners are
  /// kept: emoji and several scripts need them.
  fileprivate var isDeceptive: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    case .format: value != 0x200C && value != 0x200D
    default: false
    }
  }
}

extension String {
  /// This text if its cost is within `limit`; else the longest beginning that fits together with an ellipsis.
  ///
  /// - Parameters:
  ///   - limit: the greatest sum of costs.
  ///   - cost: the cost of a scalar; UTF-16 units by default, the strictest count of receivers that do not count bytes.
  func cut(_ limit: Int, cost: (Unicode.Scalar) -> Int = { UTF16.width($0) }) -> String {
    var total = 0
    var kept = String.UnicodeScalarView()
    var short: String.UnicodeScalarView?
    for scalar in unicodeScalars {
      let price = cost(scalar)
      if short == nil, total + price > limit - cost("…") { short = kept }
      total += price
      guard total <= limit else { return String(short ?? kept) + (limit >= cost("…") ? "…" : "") }
      kept.append(scalar)
    }
    return self
  }
}

extension Unicode.Scalar {
  /// Its length in UTF-8.
  var byteCount: Int { UTF8.width(self) }
}

extension String {
  /// This address if it is http or https, with every character that could end it in markup percent-encoded; else nil.
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

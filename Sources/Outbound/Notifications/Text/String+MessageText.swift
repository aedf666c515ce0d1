internal import Core

extension String {
  /// This text as one line. Line breaks and runs of white space become one space. Characters that are invisible or
  /// change the writing direction become U+FFFD.
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
  /// Whether a character is a control character, a mark of writing direction (U+202A to U+202E, U+2066 to U+2069), a
  /// tag or a zero-width character. Joiners are allowed, because emoji and several scripts need them.
  fileprivate var isDeceptive: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    case .format: value != 0x200C && value != 0x200D
    default: false
    }
  }
}

extension String {
  /// This text if its length is within `limit`; otherwise its longest prefix that fits with an ellipsis.
  ///
  /// - Parameters:
  ///   - limit: the greatest allowed sum of `cost` over all scalars.
  ///   - cost: the length of a scalar as the receiver counts it. The default is UTF-16 units, the strictest count among
  ///     receivers that do not count bytes.
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
  /// The number of bytes of the scalar in UTF-8.
  var byteCount: Int { UTF8.width(self) }
}

extension String {
  /// This address, in which characters that could end it in markup are percent-encoded; nil unless it is http or https
  /// and at most 2,000 bytes long.
  var webLink: String? {
    guard hasPrefix("https://") || hasPrefix("http://"), utf8.count <= 2000 else { return nil }
    return PercentEncoding.encode(self, keeping: Self.isPlain)
  }

  /// Whether a byte can occur in a link. These are the characters of RFC 3986 without those that end a link in Slack,
  /// Markdown or HTML.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: Array("-._~:/?#@!$&+,;=%".utf8).contains(byte)
    }
  }
}

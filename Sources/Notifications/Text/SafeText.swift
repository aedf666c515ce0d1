extension String {
  /// This text as one line that reads the way it is stored: breaks and runs of white space become one space, and
  /// characters that show nothing or turn the order of others around become U+FFFD.
  ///
  /// It works on scalars: `\r\n` is one `Character`, and a combining mark behind a line feed makes one `Character` of
  /// the two.
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
  /// Controls, and what only changes how its neighbours are shown: marks of direction (U+202A to U+202E, U+2066 to
  /// U+2069), tags, zero widths. Joiners are left alone, for emoji and several scripts are written with them.
  fileprivate var isDeceptive: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    case .format: value != 0x200C && value != 0x200D
    default: false
    }
  }
}

extension String {
  /// This text, or as much of its beginning as leaves room for an ellipsis within `limit`.
  ///
  /// - Parameters:
  ///   - limit: the greatest sum of costs.
  ///   - cost: what a scalar takes; UTF-16 units by default, which no receiver counts more strictly, except those that
  ///     count bytes.
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
  /// The bytes it takes in UTF-8.
  var byteCount: Int { UTF8.width(self) }
}

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

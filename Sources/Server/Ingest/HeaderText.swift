/// Text of a header that is stored and shown: on pages, and in terminals.
enum HeaderText {
  /// The text cut to `limit` bytes, without what moves a cursor or turns the direction of writing: control characters of
  /// ASCII and of Latin-1, U+2028 and U+2029, and the marks and overrides of the bidirectional algorithm (UAX 9).
  static func clean(_ text: String, limit: Int) -> String {
    // Nearly always: plain and short, and nothing is copied.
    if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var kept = ""
    var count = 0
    for scalar in text.unicodeScalars where !isHidden(scalar) {
      count += UTF8.width(scalar)
      if count > limit { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}

/// Prepares a name from a device for a title, a tooltip or a drawing, which cannot contain markup.
enum ShortenedName {
  /// The maximum number of characters shown; a longer name is cut.
  static let longest = 96

  /// `text` without invisible characters that reverse the text around them, cut to `limit` characters with an ellipsis.
  static func text(_ text: String, limit: Int = longest) -> String {
    var scalars = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars where !turnsText(scalar) {
      guard count < limit else { return String(scalars) + "…" }
      scalars.append(scalar)
      count += 1
    }
    return isPlain(scalars) ? String(scalars) : "\u{2068}\(String(scalars))\u{2069}"
  }

  private static func isPlain(_ scalars: String.UnicodeScalarView) -> Bool { scalars.allSatisfy { $0.value < 0x590 } }

  private static func turnsText(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

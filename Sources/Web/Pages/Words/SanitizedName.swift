import Core

/// Prepares a name from a device for a title, a tooltip or a drawing, which cannot contain markup.
enum SanitizedName {
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

/// A name from a device: isolated from the writing direction around it, and cut if it is very long.
struct Name: Markup {
  var text: String

  init(_ text: String) { self.text = text }

  func write(to html: inout HTMLWriter) {
    guard text.unicodeScalars.count > SanitizedName.longest else {
      html.element("bdi") { breakable(text, &$0) }
      return
    }
    let cut = String(String.UnicodeScalarView(text.unicodeScalars.prefix(SanitizedName.longest)))
    html.element("bdi", .title(text)) { breakable(cut + "…", &$0) }
  }

  /// Writes a name that may be broken after its dots if it has long parts, so that no line breaks inside a word.
  private func breakable(_ text: String, _ html: inout HTMLWriter) {
    guard text.utf8.count > Self.breakableLength else { return html.text(text) }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index > 0 {
        html.text(".")
        html.literal("<wbr/>")
      }
      html.text(String(part))
    }
  }

  private static let breakableLength = 24
}

import Core

/// A name from a device: isolated from the writing direction around it, and cut if it is very long.
struct Name: Markup {
  var text: String

  init(_ text: String) { self.text = text }

  func write(to html: inout HTMLWriter) {
    guard text.unicodeScalars.count > ShortenedName.longest else {
      html.element("bdi") { breakable(text, &$0) }
      return
    }
    let cut = String(String.UnicodeScalarView(text.unicodeScalars.prefix(ShortenedName.longest)))
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

import Core

/// A name of code or a sentence with one, such as `EXC_CRASH in Store.load(page:)`. A narrow column breaks it behind
/// punctuation, never within a word.
struct CodeName: Markup {
  var text: String

  init(_ text: String) { self.text = text }

  func write(to html: inout HTMLWriter) {
    let isCut = text.unicodeScalars.count > PlainName.longest
    let shown = isCut ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(PlainName.longest))) + "…" : text
    html.element("bdi", .class("code-name"), .title(isCut ? text : nil)) { html in
      var start = shown.startIndex
      for index in shown.unicodeScalars.indices where Self.isBreak(shown.unicodeScalars[index]) {
        let end = shown.unicodeScalars.index(after: index)
        // No line begins with the mark that ends a name.
        guard end < shown.endIndex, shown.unicodeScalars[end].properties.isAlphabetic else { continue }
        html.text(String(shown[start..<end]))
        html.literal("<wbr/>")
        start = end
      }
      html.text(String(shown[start...]))
    }
  }

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", ":", "(", ",", "_", "/", "<": true
    default: false
    }
  }
}

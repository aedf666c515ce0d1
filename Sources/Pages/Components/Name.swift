import HTML

/// A name from outside: kept apart from the direction of the text around it, cut when it is very long.
struct Name: Markup {
  var text: String

  init(_ text: String) { self.text = text }

  func write(to html: inout HTMLWriter) {
    guard text.unicodeScalars.count > PlainName.longest else {
      html.element("bdi", text: text)
      return
    }
    let cut = String(String.UnicodeScalarView(text.unicodeScalars.prefix(PlainName.longest)))
    html.element("bdi", .title(text), text: cut + "…")
  }
}

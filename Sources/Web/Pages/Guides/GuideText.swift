import Core

/// Text of a guide with `code`, **strong** words and links to other guides.
struct GuideText: Markup {
  var text: String
  var links: Links

  func write(to html: inout HTMLWriter) {
    var rest = text[...]
    while let start = rest.firstIndex(where: { "`*[".contains($0) }) {
      html.text(String(rest[..<start]))
      rest = rest[start...]
      rest = code(rest, &html) ?? strong(rest, &html) ?? link(rest, &html) ?? plain(rest, &html)
    }
    html.text(String(rest))
  }

  private func code(_ text: Substring, _ html: inout HTMLWriter) -> Substring? {
    guard text.hasPrefix("`"), let end = text.dropFirst().firstIndex(of: "`") else { return nil }
    html.element("code", text: String(text[..<end].dropFirst()))
    return text[text.index(after: end)...]
  }

  private func strong(_ text: Substring, _ html: inout HTMLWriter) -> Substring? {
    guard text.hasPrefix("**"), let end = text.dropFirst(2).firstRange(of: "**") else { return nil }
    html.element("strong", text: String(text[..<end.lowerBound].dropFirst(2)))
    return text[end.upperBound...]
  }

  private func link(_ text: Substring, _ html: inout HTMLWriter) -> Substring? {
    guard text.hasPrefix("["), let middle = text.firstRange(of: "]("),
      let end = text[middle.upperBound...].firstIndex(of: ")")
    else { return nil }
    let words = String(text[..<middle.lowerBound].dropFirst())
    let target = text[middle.upperBound..<end]
    let family = String(target.prefix { $0 != "." })
    if GuideLibrary.guide(family) != nil {
      html.element("a", .href(links.href(.guide(family))), text: words)
    } else {
      html.text(words)
    }
    return text[text.index(after: end)...]
  }

  private func plain(_ text: Substring, _ html: inout HTMLWriter) -> Substring {
    html.text(String(text.prefix(1)))
    return text.dropFirst()
  }
}

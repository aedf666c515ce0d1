import HTML

/// Paragraphs and lists of a guide.
struct GuideBlocks: Markup {
  var blocks: [GuideBlock]
  var links: Links

  func write(to html: inout HTMLWriter) {
    for block in blocks {
      switch block {
      case .paragraph(let text): html.element("p") { $0.write(GuideText(text: text, links: links)) }
      case .steps(let items): html.element("ol") { self.items(items, &$0) }
      case .list(let items): html.element("ul") { self.items(items, &$0) }
      }
    }
  }

  private func items(_ items: [String], _ html: inout HTMLWriter) {
    for item in items { html.element("li") { $0.write(GuideText(text: item, links: links)) } }
  }
}

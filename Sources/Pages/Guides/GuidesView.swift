import HTML

/// All guides, a line each.
public enum GuidesView {
  /// The page as UTF-8.
  public static func render(_ context: PageContext) -> [UInt8] {
    let layout = Layout(page: .guides, title: "Guides", context: context)
    return layout.render { html in
      html.element("h1", text: "Guides")
      html.element(
        "p", .class("summary"), text: "What to open first when a budget breaks, and what usually mends it.")
      html.element("ul", .class("cards")) { html in
        for guide in GuideLibrary.all { html.element("li") { card(guide, layout.links, &$0) } }
      }
    }
  }

  private static func card(_ guide: Guide, _ links: Links, _ html: inout HTMLWriter) {
    html.element("article", .class("card")) { html in
      html.element("h2") { $0.element("a", .href(links.href(.guide(guide.family))), text: guide.title) }
      html.write(GuideBlocks(blocks: guide.opening, links: links))
    }
  }
}

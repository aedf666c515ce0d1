import HTML

/// The pages of one app, on every one of them.
struct AppNavigation: Markup {
  var app: String
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("nav", .class("pages"), Attribute("aria-label", literal: "Pages of this app")) { html in
      html.element("ul") { html in
        for definition in PageList.all {
          guard let title = definition.navigationTitle else { continue }
          let page = Page(definition, [app])
          html.element("li") { html in
            html.element("a", .href(links.href(page)), current(page), text: title)
          }
        }
      }
    }
  }

  /// The page itself; for a page below it, that it belongs there.
  private func current(_ page: Page) -> Attribute {
    if page == links.origin { return Attribute("aria-current", literal: "page") }
    let listed = links.origin.trail.last { $0.definition.navigationTitle != nil }
    let isBelow = listed.map { $0.definition == page.definition } ?? false
    return isBelow ? Attribute("aria-current", literal: "true") : Attribute("aria-current", nil)
  }
}

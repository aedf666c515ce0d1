import HTML

/// The path from the first page to this one, which is the last step.
struct Breadcrumbs: Markup {
  var pages: [Page]
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("nav", Attribute("aria-label", literal: "Breadcrumb")) { html in
      html.element("ol") { html in
        for (index, page) in pages.enumerated() {
          html.element("li") { step(page, isLast: index == pages.count - 1, &$0) }
        }
      }
    }
  }

  private func step(_ page: Page, isLast: Bool, _ html: inout HTMLWriter) {
    if isLast {
      html.element("span", Attribute("aria-current", literal: "page")) { $0.write(Name(page.breadcrumb)) }
    } else {
      html.element("a", .href(links.href(page))) { $0.write(Name(page.breadcrumb)) }
    }
  }
}

import Analysis
import Storage
import Core

/// The navigation between the pages of one app.
struct AppNavigation: Markup {
  var app: String
  var links: Links
  var openIncidents = 0

  func write(to html: inout HTMLWriter) {
    html.element("nav", .class("pages"), Attribute("aria-label", literal: "Pages of this app")) { html in
      html.element("ul") { html in
        for definition in PageList.all {
          guard let title = definition.navigationTitle else { continue }
          let page = Page(definition, [app])
          html.element("li") { html in
            html.element("a", .href(links.href(page)), current(page)) { html in
              html.text(title)
              if page == .alerts(app: app), openIncidents > 0 { html.write(OpenCount(count: openIncidents)) }
            }
          }
        }
      }
    }
  }

  /// Marks the current page, or the listed page above it.
  private func current(_ page: Page) -> Attribute {
    if page == links.origin { return Attribute("aria-current", literal: "page") }
    let listed = links.origin.trail.last { $0.definition.navigationTitle != nil }
    let isBelow = listed.map { $0.definition == page.definition } ?? false
    return isBelow ? Attribute("aria-current", literal: "true") : Attribute("aria-current", nil)
  }
}

/// The path from the first page of the site to the current page, which is the last step.
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

  private func name(_ page: Page, _ html: inout HTMLWriter) {
    if page.definition == AppPage.self, let app = page.app {
      html.write(AppName(app: app, links: links))
    } else {
      html.write(Name(page.breadcrumb))
    }
  }

  private func step(_ page: Page, isLast: Bool, _ html: inout HTMLWriter) {
    if isLast {
      html.element("span", Attribute("aria-current", literal: "page")) { name(page, &$0) }
    } else {
      html.element("a", .href(links.href(page))) { name(page, &$0) }
    }
  }
}

/// The number of open incidents, shown after a link to them.
struct OpenCount: Markup {
  var count: Int

  func write(to html: inout HTMLWriter) {
    html.text(" ")
    html.element("span", .class("count")) { html in
      html.text(Decimal.grouped(count))
      html.element("span", .class("unseen"), text: " open")
    }
  }
}

import Core

/// The frame of every page: head, header with breadcrumbs, main and footer.
struct Layout {
  var page: Page
  /// The title in the browser's tab, before the product's name.
  var title: String
  var context: PageContext
  /// The time up to which the page includes data.
  var asOf: Timestamp?
  /// Additional text in the footer.
  var footer: String?
  /// The address that the browser is redirected to; nil for no redirect.
  var forward: String?

  var links: Links { Links(context, from: page) }

  func render(_ content: (inout HTMLWriter) -> Void) -> [UInt8] {
    var html = HTMLWriter(capacity: 96 * 1024)
    html.literal("<!DOCTYPE html>\n")
    html.element("html", Attribute("lang", literal: "en")) { html in
      head(&html)
      html.element("body") { html in
        html.element("a", .class("skip"), .href("#main"), text: "Skip to content")
        header(&html)
        if let app = page.app {
          html.write(AppNavigation(app: app, links: links, openIncidents: context.openIncidents))
        }
        html.element("main", Attribute("id", literal: "main")) { html in
          if let moment = context.renderedAt {
            html.element("p", .class("banner")) { html in
              html.text("This is a static copy, created at ")
              html.write(TimeElement(moment))
              html.text(".")
            }
          }
          if let warning = context.serverWarning, page != .server {
            html.element("p", .class("banner", "warning")) { html in
              html.element("a", .href(links.href(.server)), text: warning)
            }
          }
          if let error = context.budgetError, page.app != nil {
            html.element("p", .class("banner")) { html in
              html.text("Nothing is judged, because the budget file has an error: ")
              html.element("bdi", text: error)
            }
          }
          content(&html)
        }
        foot(&html)
      }
    }
    html.literal("\n")
    return html.bytes
  }

  private func head(_ html: inout HTMLWriter) {
    html.element("head") { html in
      html.literal("<meta charset=\"utf-8\"/>")
      html.literal("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>")
      html.literal("<meta name=\"color-scheme\" content=\"light dark\"/>")
      html.literal("<meta name=\"referrer\" content=\"same-origin\"/>")
      if let forward {
        html.leaf("meta", Attribute("http-equiv", literal: "refresh"), Attribute("content", "0;url=" + forward))
      }
      html.element("title", text: "\(title) · Plumb")
      html.leaf("link", Attribute("rel", literal: "stylesheet"), .href(links.asset(context.stylesheet)))
      html.leaf("link", Attribute("rel", literal: "icon"), .href(links.asset(context.icon)))
      // Column widths depend on a table's last row, so the browser draws the page only when it is complete.
      html.literal("<link rel=\"expect\" href=\"#end\" blocking=\"render\"/>")
      if context.linkStyle == .served {
        html.element("script", Attribute("src", links.asset(context.script)), .flag("defer"), text: "")
      }
    }
  }

  private func header(_ html: inout HTMLWriter) {
    html.element("header", .class("top")) { html in
      html.element("a", .class("brand"), .href(links.href(.overview))) { html in
        html.leaf(
          "img", Attribute("src", links.asset(context.icon)), Attribute("alt", literal: ""), Attribute("width", 22),
          Attribute("height", 22))
        html.text("Plumb")
      }
      let trail = page.trail
      if trail.count > 1 { html.write(Breadcrumbs(pages: trail, links: links)) }
      guard context.isSignedIn, context.linkStyle == .served else { return }
      html.element("a", .href(links.href(.account)), text: "Account")
      if !context.isSignedInByProxy {
        html.element("form", Attribute("method", literal: "post"), Attribute("action", links.href(.logout))) { html in
          html.element("button", .class("quiet"), text: "Sign out")
        }
      }
    }
  }

  private func foot(_ html: inout HTMLWriter) {
    html.element("footer", Attribute("id", literal: "end")) { html in
      html.element("p") { html in
        if let asOf {
          html.text("Data as of ")
          html.write(TimeElement(asOf))
          html.text(". ")
        }
        if let footer { html.text(footer + " ") }
        html.element("a", .href(links.href(.guides)), text: "Guides")
      }
    }
  }
}

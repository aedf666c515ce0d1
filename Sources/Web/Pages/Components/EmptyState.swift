import Analysis
import Core

/// A message instead of numbers: why there are none, and what to do.
struct EmptyState: Markup {
  var what: String
  var app: String
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("div", .class("card", "nothing")) { html in
      html.element("p", text: what)
      html.element("p") { html in
        html.element("a", .href(links.href(.setup(app: app))), text: "How to send data")
        guard links.style == .served, FilterPart.allCases.contains(where: { links.filter[$0] != nil }) else { return }
        html.text(" · ")
        html.element("a", .href(links.href(links.origin, .init())), text: "Clear filters")
      }
    }
  }
}

import Analysis
import Core
import Storage

/// Links to the page's numbers as JSON and CSV.
struct DataLinks: Markup {
  var page: Page
  var links: Links

  func write(to html: inout HTMLWriter) {
    for format in page.dataFormats {
      html.element("li", .class("data")) { html in
        html.element(
          "a", .href(links.href(.data(of: page, format))), text: format.rawValue.uppercased())
      }
    }
  }
}

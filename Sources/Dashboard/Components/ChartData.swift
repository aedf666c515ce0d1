import HTML

/// The way from a chart to the data behind it.
struct ChartData: Markup {
  var page: Page
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("data")) { html in
      html.text("The data: ")
      for (index, format) in page.dataFormats.enumerated() {
        if index > 0 { html.text(", ") }
        html.element("a", .href(links.href(.data(of: page, format))), text: format == .json ? "JSON" : "CSV")
      }
    }
  }
}

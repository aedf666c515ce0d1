import HTML
import Health

/// The way from a chart to the data behind it.
struct ChartData: Markup {
  var page: Page
  /// Which of its tables has what the chart shows; nil for the main one.
  var table: DataTable?
  /// False where no table of the page holds it.
  var hasTable = true
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("data")) { html in
      html.text("The data: ")
      html.element("a", .href(links.href(.data(of: page, .json))), text: "JSON")
      guard hasTable, page.dataFormats.contains(.csv) else { return }
      html.text(", ")
      html.element("a", .href(links.href(table.map { .table(of: page, $0) } ?? .data(of: page, .csv))), text: "CSV")
    }
  }
}

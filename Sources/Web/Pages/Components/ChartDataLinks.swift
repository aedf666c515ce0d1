import Analysis
import Core

/// Links from a chart to its data.
struct ChartDataLinks: Markup {
  var page: Page
  /// The secondary table with the chart's data; nil for the main table.
  var table: AnswerTableName?
  /// Whether the data is also available as CSV.
  var hasTable = true
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("data")) { html in
      html.text("Data: ")
      html.element("a", .href(links.href(.data(of: page, .json))), text: "JSON")
      guard hasTable, page.dataFormats.contains(.csv) else { return }
      html.text(", ")
      html.element("a", .href(links.href(table.map { .table(of: page, $0) } ?? .data(of: page, .csv))), text: "CSV")
    }
  }
}

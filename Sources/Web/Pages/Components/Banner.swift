import Analysis
import Core

/// A note at the top of a page about all of its numbers.
struct Banner: Markup {
  var text: String
  var isWarning = false

  func write(to html: inout HTMLWriter) {
    html.element("p", isWarning ? .class("banner", "warning") : .class("banner")) { html in
      if isWarning { html.element("span", Attribute("aria-hidden", literal: "true"), text: "▲ ") }
      html.element("bdi", text: text)
    }
  }

  /// A banner for stale data; nil for up to two days, because MetricKit payloads arrive a day or two late.
  static func stale(_ days: Int?) -> Self? {
    guard let days, days > 2 else { return nil }
    return Self(text: "The newest data is \(Decimal.grouped(days)) days old.", isWarning: true)
  }
}

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

/// Links from a chart to its data.
struct ChartDataLinks: Markup {
  var page: Page
  /// The secondary table with the chart's data; nil for the main table.
  var table: DataTable?
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

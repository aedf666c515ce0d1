import HTML
import Health
import Storage
import Telemetry

/// The bar with the page's window and filters, the form to change them, and links to the data.
struct FilterBar: Markup {
  var page: Page
  var window: Window
  var slice: Slice
  var context: PageContext

  private var links: Links { Links(context, from: page) }

  func write(to html: inout HTMLWriter) {
    html.element("div", .class("filters")) { html in
      html.element("ul", .class("slice")) { html in
        html.element(
          "li", text: "\(window.from.iso) to \(window.to.iso), \(window.days) \(window.days == 1 ? "day" : "days")")
        for (part, value) in parts { html.element("li") { chip(part, value, &$0) } }
        html.write(IdleFilters(page: page, filter: context.filter))
        html.write(DataLinks(page: page, links: links))
      }
      if links.style == .served, let choices = context.choices, !page.filters.isEmpty {
        html.write(
          FilterForm(
            page: page, window: window, slice: slice, filter: context.filter, choices: choices,
            mountPath: context.mountPath))
      }
    }
  }

  private var parts: [(FilterPart, String)] {
    [
      (.environment, Optional(slice.environment)), (.release, slice.release), (.os, slice.os),
      (.device, slice.device), (.deviceClass, slice.deviceClass), (.label, slice.label),
    ].compactMap { part, value in value.map { (part, $0) } }
  }

  private func chip(_ part: FilterPart, _ value: String, _ html: inout HTMLWriter) {
    html.text(part.title + " ")
    html.write(Name(value))
    guard links.style == .served, context.filter[part] != nil, page.filters.contains(part) else { return }
    html.text(" ")
    html.element(
      "a", .class("lift"), .href(links.href(page, context.filter.with(part, nil))),
      Attribute("aria-label", "Clear the filter \(part.title)"), text: "×")
  }
}

/// Filters chosen on another page that do not apply to this one. They are kept for the next page.
struct IdleFilters: Markup {
  var page: Page
  var filter: ReportQuery

  func write(to html: inout HTMLWriter) {
    for part in FilterPart.allCases where filter[part] != nil && !page.filters.contains(part) {
      // The window is one filter, although it has two parameters.
      if part == .to, filter.from != nil { continue }
      let what = part == .from || part == .to ? "days" : part.title
      html.element("li", text: "not narrowed by \(what)")
    }
  }
}

/// Links to the page's numbers as JSON and CSV.
struct DataLinks: Markup {
  var page: Page
  var links: Links

  func write(to html: inout HTMLWriter) {
    for format in page.dataFormats {
      html.element("li") { html in
        html.element(
          "a", .href(links.href(.data(of: page, format))),
          text: format == .json ? "These numbers as JSON" : "as CSV")
      }
    }
  }
}

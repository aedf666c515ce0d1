import HTML
import Health
import Storage
import Telemetry

/// The form that changes a page's window and filters. It needs no script.
struct FilterForm: Markup {
  var page: Page
  var window: Window
  var slice: Slice
  var filter: ReportQuery
  var choices: FilterChoices
  /// The path below which clients reach the server.
  var mountPath = ""

  private var links: Links { Links(style: .served, from: page, filter: filter, mountPath: mountPath) }

  func write(to html: inout HTMLWriter) {
    html.element("details", .class("narrow-down")) { html in
      html.element("summary", text: "Other days, releases or devices")
      html.element("form", Attribute("method", literal: "get"), Attribute("action", address)) { html in
        if page.filters.contains(.from) { days(&html) }
        for field in fields where page.filters.contains(field.part) { select(field, &html) }
        hidden(&html)
        html.element("p", .class("actions")) { html in
          html.element("button", .class("button"), text: "Show")
          html.element("a", .href(links.href(page, .init())), text: "Clear filters")
          if page.filters.contains(.from) {
            for days in [7, 28, 90] { html.element("a", .href(links.href(page, last(days))), text: "\(days) days") }
          }
        }
      }
    }
  }

  /// The address without query: browsers replace the query of a form's address by its fields.
  private var address: String { links.address(Page(page.definition, page.arguments)) }

  private func last(_ days: Int) -> ReportQuery {
    var query = filter
    query.from = window.to - (days - 1)
    query.to = window.to
    return query
  }

  private struct Field {
    var part: FilterPart
    var title: String
    /// The text of the choice without a filter.
    var all: String
    var options: [(value: String, title: String)]
  }

  private var fields: [Field] {
    func same(_ values: [String]) -> [(value: String, title: String)] { values.map { ($0, $0) } }
    return [
      Field(part: .environment, title: "Environment", all: "Default", options: same(choices.environments)),
      Field(part: .release, title: "Release", all: "All releases", options: same(choices.releases)),
      Field(part: .os, title: "System", all: "All systems", options: same(choices.systems)),
      Field(part: .deviceClass, title: "Devices", all: "All devices", options: same(choices.deviceClasses)),
      Field(part: .device, title: "Model", all: "All models", options: choices.devices.map { ($0.model, $0.title) }),
    ]
  }

  private func days(_ html: inout HTMLWriter) {
    // Empty unless the user chose dates, so that a page left open follows the newest day.
    for (part, title) in [(FilterPart.from, "From"), (.to, "To")] {
      label(part, title, &html)
      html.leaf(
        "input", Attribute("type", literal: "date"), Attribute("id", id(part)), Attribute("name", part.name),
        Attribute("value", filter[part] ?? ""))
    }
  }

  private func select(_ field: Field, _ html: inout HTMLWriter) {
    let chosen = filter[field.part]
    // The current value is always offered, even if it was not in use lately.
    let isListed = chosen.map { value in field.options.contains { $0.value == value } } ?? true
    let options = (isListed ? [] : chosen.map { [($0, $0)] } ?? []) + field.options
    label(field.part, field.title, &html)
    html.element("select", Attribute("id", id(field.part)), Attribute("name", field.part.name)) { html in
      html.element("option", Attribute("value", literal: ""), text: field.all)
      for (value, title) in options {
        let text = PlainName.text(title, limit: 48)
        if value == chosen {
          html.element("option", Attribute("value", value), .flag("selected"), text: text)
        } else {
          html.element("option", Attribute("value", value), text: text)
        }
      }
    }
  }

  /// Writes hidden fields for filters without a field of their own, and for the page's own parameters.
  private func hidden(_ html: inout HTMLWriter) {
    let shown =
      (page.filters.contains(.from) ? FilterPart.window : []) + fields.map(\.part).filter(page.filters.contains)
    for part in page.keptFilters where !shown.contains(part) {
      if let value = filter[part] { hidden(part.name, value, &html) }
    }
    for parameter in page.parameters { hidden(parameter.name, parameter.value, &html) }
  }

  private func hidden(_ name: String, _ value: String, _ html: inout HTMLWriter) {
    html.leaf(
      "input", Attribute("type", literal: "hidden"), Attribute("name", name), Attribute("value", value))
  }

  private func label(_ part: FilterPart, _ title: String, _ html: inout HTMLWriter) {
    html.element("label", Attribute("for", id(part)), text: title)
  }

  private func id(_ part: FilterPart) -> String { "filter-\(part.name)" }
}

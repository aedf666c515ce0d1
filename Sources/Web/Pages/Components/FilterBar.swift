import Analysis
import Core
import Storage

/// The bar with the page's days and filters. Each filter is a chip that opens a menu of links, without a script.
struct FilterBar: Markup {
  var page: Page
  var window: Window
  var slice: Slice
  var context: PageContext
  /// Whether the numbers are of all releases together.
  var isWholeApp = false
  /// Filters of the page that do not apply to what it shows.
  var hidden: Set<FilterPart> = []

  private var links: Links { Links(context, from: page) }
  private var filter: ReportQuery { context.filter }

  func write(to html: inout HTMLWriter) {
    html.element("div", .class("filters")) { html in
      html.element("ul", .class("chips")) { html in
        if links.style == .served, let choices = context.choices, !page.filters.isEmpty {
          html.write(DaysChip(page: page, window: window, today: choices.today, filter: filter, links: links))
          for chip in chips(choices) { html.write(chip) }
          if FilterPart.allCases.contains(where: { filter[$0] != nil }) {
            html.element("li") { $0.element("a", .href(links.href(page, .init())), text: "Clear filters") }
          }
        } else {
          fixed(&html)
        }
        html.write(IdleFilters(page: page, filter: filter, hidden: hidden))
        html.write(DataLinks(page: page, links: dataLinks))
      }
    }
  }

  /// The chips of a page that cannot be filtered, such as one of a static export.
  private func fixed(_ html: inout HTMLWriter) {
    html.element("li", text: window.text)
    let parts = [
      slice.environment, slice.release ?? (isWholeApp ? "all releases" : nil), slice.os,
      slice.device.map { DeviceNames.marketingName(of: $0) ?? $0 }, slice.deviceClass, slice.attribute?.text,
      slice.label,
    ]
    for part in parts.compactMap({ $0 }) { html.element("li") { $0.write(Name(part)) } }
  }

  /// Links to exactly the data that the page shows, even if its release is a default.
  private var dataLinks: Links {
    var links = links
    for part in hidden { links.filter[part] = nil }
    guard context.linkStyle == .served, page.filters.contains(.release), !hidden.contains(.release),
      slice.release != nil
    else { return links }
    links.filter.release = slice.release
    if page.filters.contains(.from) { (links.filter.from, links.filter.to) = (window.from, window.to) }
    return links
  }

  private func chips(_ choices: FilterChoices) -> [FilterChip] {
    func same(_ values: [String]) -> [FilterChip.Option] { values.map { .init(value: $0, title: $0) } }
    let devices = choices.devices.map { FilterChip.Option(value: $0.model, title: $0.title) }
    var releases = same(choices.releases)
    if page.judgesByDefault { releases.insert(.init(value: ReportQuery.allReleases, title: "All releases"), at: 0) }
    let all: [(FilterPart, String?, String, [FilterChip.Option])] = [
      (.environment, slice.environment, "Default", same(choices.environments)),
      (.release, slice.release ?? "All releases", page.judgesByDefault ? "Newest in use" : "All releases", releases),
      (.deviceClass, slice.deviceClass ?? "All devices", "All devices", same(choices.deviceClasses)),
      (.device, slice.device.map { DeviceNames.marketingName(of: $0) ?? $0 } ?? "All models", "All models", devices),
      (.os, slice.os ?? "All OS versions", "All OS versions", same(choices.systems)),
      (.attribute, slice.attribute?.text, "Any \(attributeName(choices) ?? "value")", attributeOptions(choices)),
      (.label, slice.label, "All labels", []),
    ]
    return all.compactMap { part, shown, none, options in
      guard page.filters.contains(part), !hidden.contains(part), let shown = shown ?? options.first.map({ _ in none })
      else { return nil }
      let title = part == .attribute ? attributeName(choices) ?? part.title : part.title
      return FilterChip(
        page: page, part: part, title: title.capitalizedFirst, shown: shown, none: none, options: options,
        filter: filter, links: links)
    }
  }

  /// The name of the app's only attribute; nil if it has several or none.
  private func attributeName(_ choices: FilterChoices) -> String? {
    choices.attributes.count == 1 ? choices.attributes[0].name : nil
  }

  /// The values of the app's attributes, each as the filter for it. With several attributes, the title names each, and
  /// they share the places of the menu.
  private func attributeOptions(_ choices: FilterChoices) -> [FilterChip.Option] {
    let most = choices.attributes.count > 1 ? FilterChip.most / choices.attributes.count : .max
    return choices.attributes.flatMap { attribute in
      attribute.values.prefix(most).map { value in
        let text = AttributeFilter(name: attribute.name, value: value).text
        return FilterChip.Option(value: text, title: choices.attributes.count == 1 ? value : text)
      }
    }
  }
}

/// One filter: its value, and a menu of the values it may have.
struct FilterChip: Markup {
  struct Option {
    var value: String
    var title: String
  }

  var page: Page
  var part: FilterPart
  var title: String
  /// The current value of the filter, in words.
  var shown: String
  /// The choice without a filter.
  var none: String
  var options: [Option]
  var filter: ReportQuery
  var links: Links

  /// The maximum number of values in a menu: the newest, or the first by name.
  static let most = 60

  /// The current value of the filter; nil for a choice that is the same as no filter.
  private var current: String? {
    part == .release && filter.isWholeApp && !page.judgesByDefault ? nil : filter[part]
  }

  /// The first options, and the current one even if it was not in use recently.
  private var offered: [Option] {
    let first = Array(options.prefix(Self.most))
    guard let current, !first.contains(where: { $0.value == current }) else { return first }
    return [Option(value: current, title: shown)] + first
  }

  func write(to html: inout HTMLWriter) {
    let isSet = current != nil
    html.element("li") { html in
      html.element("details", .class("chip"), Attribute("name", literal: "filter")) { html in
        html.element("summary", isSet ? .class("set") : Attribute("class", nil)) { html in
          html.element("span", .class("unseen"), text: title + ": ")
          html.write(Name(shown))
        }
        html.element("ul") { html in
          item(none, nil, &html)
          for option in offered { item(option.title, option.value, &html) }
          if options.count > Self.most {
            html.element("li", .class("meta"), text: "and \(options.count - Self.most) more; set them in the URL")
          }
        }
      }
    }
  }

  private func item(_ title: String, _ value: String?, _ html: inout HTMLWriter) {
    html.element("li") { html in
      let isCurrent = current == value
      html.element(
        "a", .href(links.href(page, filter.with(part, value))),
        isCurrent ? Attribute("aria-current", literal: "true") : Attribute("aria-current", nil)
      ) { $0.write(Name(title)) }
    }
  }
}

/// The days of a page: common ranges, and two custom dates.
struct DaysChip: Markup {
  var page: Page
  var window: Window
  var today: CalendarDay?
  var filter: ReportQuery
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard page.filters.contains(.from) || page.filters.contains(.to) else {
      return html.element("li", text: window.text)
    }
    html.element("li") { html in
      html.element("details", .class("chip"), Attribute("name", literal: "filter")) { html in
        html.element(
          "summary", filter.from != nil || filter.to != nil ? .class("set") : Attribute("class", nil)
        ) { html in
          html.element("span", .class("unseen"), text: "Days: ")
          html.text(window.text)
        }
        html.element("div", .class("menu")) { html in
          if page.filters.contains(.from) { spans(&html) }
          form(&html)
        }
      }
    }
  }

  private func spans(_ html: inout HTMLWriter) {
    html.element("ul") { html in
      var plain = filter
      (plain.from, plain.to) = (nil, nil)
      item(page.judgesByDefault ? "Since the release" : "Last 28 days", plain, &html)
      if let today {
        item("Today", span(today, today), &html)
        item("Yesterday and today", span(today - 1, today), &html)
      }
      for days in [7, 28, 90] { item("\(days) days", span(window.to - (days - 1), window.to), &html) }
    }
  }

  private func span(_ from: CalendarDay, _ to: CalendarDay) -> ReportQuery {
    var query = filter
    (query.from, query.to) = (from, to)
    return query
  }

  private func item(_ title: String, _ query: ReportQuery, _ html: inout HTMLWriter) {
    let isCurrent = query.from == filter.from && query.to == filter.to
    html.element("li") { html in
      html.element(
        "a", .href(links.href(page, query)),
        isCurrent ? Attribute("aria-current", literal: "true") : Attribute("aria-current", nil), text: title)
    }
  }

  private func form(_ html: inout HTMLWriter) {
    // Browsers replace the query of a form's address with its fields.
    let address = links.address(Page(page.definition, page.arguments))
    html.element("form", Attribute("method", literal: "get"), Attribute("action", address)) { html in
      for (part, day) in [(FilterPart.from, window.from), (.to, window.to)] where page.filters.contains(part) {
        html.element("label", Attribute("for", "filter-\(part.name)"), text: part.title.capitalizedFirst)
        html.leaf(
          "input", Attribute("type", literal: "date"), Attribute("id", "filter-\(part.name)"),
          Attribute("name", part.name), Attribute("value", day.iso))
      }
      for part in page.keptFilters where !FilterPart.window.contains(part) {
        if let value = filter[part] { hidden(part.name, value, &html) }
      }
      for parameter in page.parameters { hidden(parameter.name, parameter.value, &html) }
      html.element("button", .class("button"), text: "Show")
    }
  }

  private func hidden(_ name: String, _ value: String, _ html: inout HTMLWriter) {
    html.leaf("input", Attribute("type", literal: "hidden"), Attribute("name", name), Attribute("value", value))
  }
}

/// Filters from another page that do not apply to this one. They are kept for the next page.
struct IdleFilters: Markup {
  var page: Page
  var filter: ReportQuery
  var hidden: Set<FilterPart> = []

  func write(to html: inout HTMLWriter) {
    for part in FilterPart.allCases where filter[part] != nil {
      guard hidden.contains(part) || !page.filters.contains(part) else { continue }
      // The window is one filter, although it has two parameters.
      if part == .to, filter.from != nil { continue }
      let what = part == .from || part == .to ? "days" : part.title
      html.element("li", .class("meta"), text: "not filtered by \(what)")
    }
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

import Analysis
import Core

/// A form with two fields for the releases, or the values of the app's attribute, to compare.
struct CompareForm: Markup {
  var app: String
  var base: String?
  var head: String?
  var context: PageContext

  func write(to html: inout HTMLWriter) {
    let offered = releases + values
    guard context.linkStyle == .served, releases.count > 1 || !values.isEmpty else { return }
    html.element(
      "form", .class("choose"), Attribute("method", literal: "get"),
      Attribute("action", Links(context, from: .newest(app: app)).address(.newest(app: app)))
    ) { html in
      select("base", "Compare", base, offered, &html)
      select("head", "with", head, offered, &html)
      for part in FilterPart.allCases {
        if let value = context.filter[part] {
          html.leaf(
            "input", Attribute("type", literal: "hidden"), Attribute("name", part.name), Attribute("value", value))
        }
      }
      html.element("button", .class("button"), text: "Compare")
    }
  }

  private var releases: [String] { context.choices?.releases ?? [] }

  /// The values of the app's attribute, then all but each of them.
  private var values: [String] {
    guard let attribute = context.choices?.attribute else { return [] }
    let filters = attribute.values.prefix(Self.mostValues).map { AttributeFilter(name: attribute.name, value: $0) }
    return filters.map(\.text) + filters.map(\.inverted.text)
  }

  private static let mostValues = 30

  private func select(
    _ name: String, _ title: String, _ chosen: String?, _ offered: [String], _ html: inout HTMLWriter
  ) {
    let isListed = chosen.map(offered.contains) ?? true
    html.element("label", Attribute("for", "compare-\(name)"), text: title)
    html.element("select", Attribute("id", "compare-\(name)"), Attribute("name", name)) { html in
      for release in (isListed ? [] : chosen.map { [$0] } ?? []) + offered {
        let text = PlainName.text(release, limit: 48)
        if release == chosen {
          html.element("option", Attribute("value", release), .flag("selected"), text: text)
        } else {
          html.element("option", Attribute("value", release), text: text)
        }
      }
    }
  }
}

import Analysis
import Core
import Storage

/// A form with two menus for the releases, or the values of the app's attributes, to compare. If the menus leave some
/// out, a second form has fields for any names.
struct CompareForm: Markup {
  var app: String
  var base: String?
  var head: String?
  var context: PageContext

  /// The maximum number of releases in a menu, the newest, and of values of all attributes together, the most used.
  private static let most = (releases: 20, values: 20)

  func write(to html: inout HTMLWriter) {
    guard context.linkStyle == .served, releases.count > 1 || !attributes.isEmpty else { return }
    let shares = max(1, Self.most.values / max(1, attributes.count))
    let offered = Array(releases.prefix(Self.most.releases)) + attributes.flatMap { Self.filters($0, most: shares) }
    form(&html) { html in
      select("base", "Compare", base, offered, &html)
      select("head", "with", head, offered, &html)
    }
    guard releases.count > Self.most.releases || attributes.contains(where: { $0.values.count > shares }) else {
      return
    }
    html.element("details") { html in
      html.element("summary", text: "Other releases and values")
      form(&html) { html in
        field("base", "Compare", base, &html)
        field("head", "with", head, &html)
      }
    }
  }

  private var releases: [String] { context.choices?.releases ?? [] }
  private var attributes: [FilterChoices.Attribute] {
    (context.choices?.attributes ?? []).filter { !$0.values.isEmpty }
  }

  /// The filters for the most used values of an attribute, then the same negated.
  private static func filters(_ attribute: FilterChoices.Attribute, most: Int) -> [String] {
    let filters = attribute.values.prefix(most).map { AttributeFilter(name: attribute.name, value: $0) }
    return filters.map(\.text) + filters.map(\.inverted.text)
  }

  /// A form with these fields and the page's filters.
  private func form(_ html: inout HTMLWriter, _ fields: (inout HTMLWriter) -> Void) {
    html.element(
      "form", .class("choose"), Attribute("method", literal: "get"),
      Attribute("action", Links(context, from: .newest(app: app)).address(.newest(app: app)))
    ) { html in
      fields(&html)
      for part in FilterPart.allCases {
        if let value = context.filter[part] {
          html.leaf(
            "input", Attribute("type", literal: "hidden"), Attribute("name", part.name), Attribute("value", value))
        }
      }
      html.element("button", .class("button"), text: "Compare")
    }
  }

  private func select(
    _ name: String, _ title: String, _ chosen: String?, _ offered: [String], _ html: inout HTMLWriter
  ) {
    let isListed = chosen.map(offered.contains) ?? true
    html.element("label", Attribute("for", "compare-\(name)"), text: title)
    html.element("select", Attribute("id", "compare-\(name)"), Attribute("name", name)) { html in
      for release in (isListed ? [] : chosen.map { [$0] } ?? []) + offered {
        let text = ShortenedName.text(release, limit: 48)
        if release == chosen {
          html.element("option", Attribute("value", release), .flag("selected"), text: text)
        } else {
          html.element("option", Attribute("value", release), text: text)
        }
      }
    }
  }

  private func field(_ name: String, _ title: String, _ chosen: String?, _ html: inout HTMLWriter) {
    html.element("label", Attribute("for", "other-\(name)"), text: title)
    html.leaf(
      "input", Attribute("type", literal: "text"), Attribute("id", "other-\(name)"), Attribute("name", name),
      Attribute("value", chosen ?? ""), .flag("required"), Attribute("placeholder", literal: "4.2.0 or region=DE"))
  }
}

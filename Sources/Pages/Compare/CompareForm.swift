import HTML
import Health

/// A form with two fields for the releases to compare.
struct CompareForm: Markup {
  var app: String
  var base: String?
  var head: String?
  var context: PageContext

  func write(to html: inout HTMLWriter) {
    guard context.linkStyle == .served, let releases = context.choices?.releases, releases.count > 1 else { return }
    html.element(
      "form", .class("choose"), Attribute("method", literal: "get"),
      Attribute("action", Links(context, from: .newest(app: app)).address(.newest(app: app)))
    ) { html in
      select("base", "Compare", base, releases, &html)
      select("head", "with", head, releases, &html)
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
    _ name: String, _ title: String, _ chosen: String?, _ releases: [String], _ html: inout HTMLWriter
  ) {
    let isListed = chosen.map(releases.contains) ?? true
    html.element("label", Attribute("for", "compare-\(name)"), text: title)
    html.element("select", Attribute("id", "compare-\(name)"), Attribute("name", name)) { html in
      for release in (isListed ? [] : chosen.map { [$0] } ?? []) + releases {
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

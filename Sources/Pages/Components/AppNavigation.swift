import HTML

/// The pages of one app, on every one of them.
struct AppNavigation: Markup {
  var app: String
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("nav", .class("pages"), Attribute("aria-label", literal: "Pages of this app")) { html in
      html.element("ul") { html in
        for (title, page) in pages {
          html.element("li") { html in
            html.element("a", .href(links.href(page)), current(page), text: title)
          }
        }
      }
    }
  }

  private var pages: [(title: String, page: Page)] {
    [
      ("Vitals", .app(app)), ("Sessions", .sessions(app: app)), ("Exits", .exits(app: app)),
      ("Crashes and hangs", .groups(app: app, kind: nil)), ("Compare", .newest(app: app)),
      ("Budgets", .budgets(app: app)),
      ("Alerts", .alerts(app: app)), ("Checklist", .checklist(app: app)), ("Data quality", .dataQuality(app: app)),
      ("Setup", .setup(app: app)),
    ]
  }

  /// The page itself; for a page below it, that it belongs there.
  private func current(_ page: Page) -> Attribute {
    if page == links.origin { return Attribute("aria-current", literal: "page") }
    switch (links.origin, page) {
    case (.metric, .app), (.release, .app), (.compare, .newest), (.groups, .groups), (.group, .groups),
      (.groupFocus, .groups), (.diagnostics, .groups):
      return Attribute("aria-current", literal: "true")
    default: return Attribute("aria-current", nil)
    }
  }
}

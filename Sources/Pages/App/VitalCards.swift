import HTML
import Health
import Storage

/// The budgets that matter most, one card each.
struct VitalCards: Markup {
  var app: String
  /// The days of the page.
  var window: Window
  var vitals: [Vital]
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !vitals.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Vitals")
      html.element("div", .class("cards")) { html in
        for vital in vitals { html.write(VitalCard(app: app, window: window, vital: vital, links: links)) }
      }
    }
  }
}

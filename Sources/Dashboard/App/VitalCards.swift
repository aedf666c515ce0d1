import HTML
import Health

/// The budgets that matter most, one card each.
struct VitalCards: Markup {
  var vitals: [Vital]
  var report: HealthReport
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !vitals.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Vitals")
      html.element("div", .class("cards")) { html in
        for vital in vitals { html.write(VitalCard(vital: vital, report: report, links: links)) }
      }
    }
  }
}

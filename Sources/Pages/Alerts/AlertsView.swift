import HTML
import Health
import Storage
import Telemetry
import Wording

/// What is broken now, what was, and what each rests on.
public enum AlertsView {
  /// The page as UTF-8.
  public static func render(_ list: AlertList, _ context: PageContext) -> [UInt8] {
    let page = Page.alerts(app: list.app)
    let title = list.app.map { "Alerts of " + PlainName.text($0) } ?? "Alerts"
    let layout = Layout(page: page, title: title, context: context, asOf: list.asOf)
    return layout.render { html in
      heading(list, page, layout.links, &html)
      for entry in list.open { html.write(IncidentCard(entry: entry, links: layout.links, asOf: list.asOf)) }
      html.write(PastIncidents(entries: list.past, links: layout.links))
    }
  }

  private static func heading(_ list: AlertList, _ page: Page, _ links: Links, _ html: inout HTMLWriter) {
    html.element("h1") { html in
      html.text("Alerts")
      guard let app = list.app else { return }
      html.text(" of ")
      html.write(Name(app))
    }
    html.element("p", .class("summary"), text: sentence(list))
    html.element("ul", .class("slice")) { html in
      html.element("li", text: "past ones of 90 days")
      html.element("li") {
        $0.element("a", .href(links.href(.data(of: .alerts(app: list.app), .json))), text: "These alerts as JSON")
      }
      if list.app != nil {
        html.element("li") { $0.element("a", .href(links.href(.alerts(app: nil))), text: "Alerts of all apps") }
        html.write(IdleFilters(page: page, filter: links.filter))
      }
    }
  }

  private static func sentence(_ list: AlertList) -> String {
    switch list.open.count {
    // Where nobody looks, none opens: that is no good news.
    case 0: "No incident is open. They open when plumb check runs from cron, or plumb serve with --check-every."
    case 1: "One incident is open."
    default: "\(Decimal.grouped(list.open.count)) incidents are open."
    }
  }
}

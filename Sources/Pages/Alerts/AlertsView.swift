import HTML
import Health
import Storage
import Telemetry
import Wording

/// The alerts page: open incidents with their evidence, then past ones.
public enum AlertsView {
  /// The page as UTF-8.
  public static func render(_ list: AlertList, _ context: PageContext) -> [UInt8] {
    let page = Page.alerts(app: list.app)
    let title = list.app.map { "Alerts of " + PlainName.text($0) } ?? "Alerts"
    let layout = Layout(page: page, title: title, context: context, asOf: list.asOf)
    return layout.render { html in
      heading(list, page, layout.links, &html)
      for entry in list.open { html.write(IncidentCard(entry: entry, links: layout.links, asOf: list.asOf)) }
      if let app = list.app {
        let canEdit = context.canEdit && context.linkStyle == .served
        html.write(SilenceSection(app: app, silences: list.silences, canEdit: canEdit, links: layout.links))
      }
      html.write(PastIncidents(entries: list.past, links: layout.links))
    }
  }

  private static func heading(_ list: AlertList, _ page: Page, _ links: Links, _ html: inout HTMLWriter) {
    html.element("h1") { html in
      html.text("Alerts")
      guard let app = list.app else { return }
      html.text(" of ")
      html.write(AppName(app: app, links: links))
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
      } else if links.style == .served {
        html.element("li") { $0.element("a", .href(links.href(.server)), text: "Health of the server") }
      }
    }
  }

  private static func sentence(_ list: AlertList) -> String {
    switch list.open.count {
    // Incidents open only if alert checks run, so an empty list alone proves nothing.
    case 0: "No incident is open. They open when plumb check runs from cron, or plumb serve with --check-every."
    case 1: "One incident is open."
    default: "\(Decimal.grouped(list.open.count)) incidents are open."
    }
  }
}

/// Incidents that ended, and why.
struct PastIncidents: Markup {
  var entries: [AlertList.Entry]
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !entries.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Past")
      html.write(
        Table("The newest first", ["App", "Incident", "Opened", "Ended", "Lasted", "Why it ended"]) { html in
          for entry in entries { html.row { row(entry, &$0) } }
        })
    }
  }

  private func row(_ entry: AlertList.Entry, _ html: inout HTMLWriter) {
    let incident = entry.incident
    html.rowHead { html in
      guard let app = entry.app else { return html.text("all apps") }
      html.element("a", .href(links.href(.app(app)))) { $0.write(AppName(app: app, links: links)) }
    }
    html.element("td") { html in
      html.write(Name(incident.key.readableTitle))
      html.element("p", .class("meta")) { $0.element("bdi", text: incident.readableSummary) }
    }
    html.element("td", text: incident.opened.iso)
    html.element("td", text: incident.closed?.iso ?? Quantity.unknown)
    let closed = incident.closed ?? incident.opened
    let minutes = Double(closed.milliseconds - incident.opened.milliseconds) / 60_000
    html.element("td", text: Elapsed.text(minutes: minutes))
    html.element("td") { $0.element("bdi", text: incident.closedBecause ?? Quantity.unknown) }
  }
}

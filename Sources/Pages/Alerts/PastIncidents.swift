import HTML
import Health
import Storage
import Telemetry
import Wording

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
      html.element("a", .href(links.href(.app(app)))) { $0.write(Name(app)) }
    }
    html.element("td") { html in
      html.write(Name(incident.key.title))
      html.element("p", .class("meta")) { $0.element("bdi", text: incident.evidence.summary) }
    }
    html.element("td", text: incident.opened.iso)
    html.element("td", text: incident.closed?.iso ?? Quantity.unknown)
    let closed = incident.closed ?? incident.opened
    let minutes = Double(closed.milliseconds - incident.opened.milliseconds) / 60_000
    html.element("td", text: Elapsed.text(minutes: minutes))
    html.element("td") { $0.element("bdi", text: incident.closedBecause ?? Quantity.unknown) }
  }
}

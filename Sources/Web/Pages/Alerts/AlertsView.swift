import Analysis
import Core
import Storage

/// The alerts page: open incidents by app, then silences, then past incidents.
enum AlertsView {
  /// The page as UTF-8.
  static func render(_ list: AlertList, _ context: PageContext) -> [UInt8] {
    let page = Page.alerts(app: list.app)
    let title = list.app.map { "Alerts of " + ShortenedName.text($0) } ?? "Alerts"
    let layout = Layout(page: page, title: title, context: context, asOf: list.asOf)
    let canEdit = context.canEdit && context.linkStyle == .served
    return layout.render { html in
      heading(list, page, layout.links, &html)
      for (app, entries) in byApp(list.open) {
        html.element("section") { html in
          heading(app, list, layout.links, &html)
          html.element("ul", .class("incidents")) { html in
            for entry in entries {
              html.write(IncidentCard(entry: entry, list: list, canEdit: canEdit, links: layout.links))
            }
          }
        }
      }
      if let app = list.app {
        html.write(SilenceSection(app: app, silences: list.silences, canEdit: canEdit, links: layout.links))
      }
      html.write(PastIncidents(entries: list.past, isOfOneApp: list.app != nil, links: layout.links))
    }
  }

  /// The incidents grouped by app, in the order of each app's first incident.
  private static func byApp(_ entries: [AlertList.Entry]) -> [(app: String?, entries: [AlertList.Entry])] {
    var groups: [(app: String?, entries: [AlertList.Entry])] = []
    for entry in entries {
      if let index = groups.firstIndex(where: { $0.app == entry.app }) {
        groups[index].entries.append(entry)
      } else {
        groups.append((entry.app, [entry]))
      }
    }
    return groups
  }

  private static func heading(_ app: String?, _ list: AlertList, _ links: Links, _ html: inout HTMLWriter) {
    html.element("h2") { html in
      guard let app else { return html.text("The whole server") }
      guard list.app == nil else { return html.text("Open now") }
      html.element("a", .href(links.href(.alerts(app: app)))) { $0.write(Name(app)) }
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
      html.element("li") {
        $0.element("a", .href(links.href(.data(of: .alerts(app: list.app), .json))), text: "These alerts as JSON")
      }
      if list.app != nil {
        html.element("li") { $0.element("a", .href(links.href(.alerts(app: nil))), text: "Alerts of all apps") }
        html.write(IdleFilters(page: page, filter: links.filter))
      } else if links.style == .served {
        html.element("li") { $0.element("a", .href(links.href(.server)), text: "Server health") }
      }
    }
  }

  private static func sentence(_ list: AlertList) -> String {
    let critical = list.open.count { $0.incident.severity == .critical }
    switch list.open.count {
    // Incidents open only if alert checks run, so an empty list alone proves nothing.
    case 0:
      return "No incident is open. To check for incidents, run plumb check from cron or plumb serve with --check-every."
    case 1: return "One incident is open\(critical == 1 ? ", and it is critical" : "")."
    case let count:
      let grave = critical == 0 ? "none of them critical" : "\(Decimal.grouped(critical)) critical"
      return "\(Decimal.grouped(count)) incidents are open, \(grave)."
    }
  }
}

/// Past incidents, and why they ended.
struct PastIncidents: Markup {
  var entries: [AlertList.Entry]
  var isOfOneApp: Bool
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !entries.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Past incidents")
      html.write(
        Table("Incidents that ended in the last 90 days, newest first", of: entries, style: "stack") {
          Column.head("Incident") { entry, html in
            html.element("bdi", Attribute("id", entry.incident.id), text: entry.incident.title)
          }
          if !isOfOneApp {
            Column("App") { entry, html in
              guard let app = entry.app else { return html.text("all apps") }
              html.element("a", .href(links.href(.alerts(app: app)))) { $0.write(AppName(app: app, links: links)) }
            }
          }
          Column("Since", text: \.incident.since.dayOrMinute)
          Column("Ended") { $0.incident.closed?.dayOrMinute ?? Quantity.unknown }
          Column("Lasted") { entry in
            let (since, closed) = (entry.incident.since, entry.incident.closed ?? entry.incident.since)
            return Elapsed.text(minutes: Double(closed.milliseconds - since.milliseconds) / 60_000)
          }
          Column("Why it ended") { $1.element("bdi", text: $0.incident.closedBecause ?? Quantity.unknown) }
        })
    }
  }
}

/// The silences of an app's alerts, and for editors the forms that add and end them.
struct SilenceSection: Markup {
  var app: String
  var silences: [Silence]
  var canEdit: Bool
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard canEdit || !silences.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Silences")
      if silences.isEmpty {
        html.element("p", .class("meta"), text: "No silences. Channels are notified of incidents of this app.")
      } else {
        html.write(
          Table("Channels are not notified of these incidents until the silence ends", of: silences) {
            Column.head("Incidents") { $1.write(Name(scope($0))) }
            Column("From", text: \.starts.dayOrMinute)
            Column("Until", text: \.ends.dayOrMinute)
            Column("Reason") { $1.element("bdi", text: $0.reason) }
            Column("End silence", content: end)
          })
      }
      if canEdit { form(&html) }
    }
  }

  private func scope(_ silence: Silence) -> String {
    let scope = [
      silence.app == nil ? "all apps" : nil, silence.incident.map { "incident \($0)" }, silence.release, silence.rule,
    ].compactMap { $0 }
    return scope.isEmpty ? "every incident" : scope.joined(separator: " · ")
  }

  private func end(_ silence: Silence, _ html: inout HTMLWriter) {
    // Only a command can end a silence of all apps.
    guard canEdit, silence.app != nil else { return html.text("plumb silence remove \(silence.id)") }
    let address = links.href(.silence(app: app, silence.id), .init())
    html.element("form", Attribute("method", literal: "post"), Attribute("action", address)) { html in
      html.element("button", .class("quiet"), Attribute("aria-label", "End silence \(silence.id)"), text: "End")
    }
  }

  private func form(_ html: inout HTMLWriter) {
    html.element("details") { html in
      html.element("summary", text: "Silence incidents")
      html.element(
        "form", .class("decide"), Attribute("method", literal: "post"),
        Attribute("action", links.href(.silences(app: app), .init()))
      ) { html in
        html.literal(
          """
          <label>For <select name="hours"><option value="4">4 hours</option><option value="24">1 day</option>\
          <option value="72">3 days</option><option value="168">1 week</option></select></label>\
          <label>Rule, metric or budget <input name="rule" maxlength="200" autocomplete="off" \
          placeholder="all"/></label>\
          <label>Release <input name="release" maxlength="200" autocomplete="off" placeholder="all"/></label>\
          <label>Reason <input name="reason" maxlength="500" autocomplete="off" required/></label>
          """)
        html.element("button", .class("button"), text: "Silence")
      }
    }
  }
}

/// The addresses that accept decisions about silences. `Server` handles them.
enum SilencesAddress: PageAddress {
  static let path: PathPattern = "apps/{app}/silences"
}

enum SilenceAddress: PageAddress {
  static let path: PathPattern = "apps/{app}/silences/{silence}"
}

extension Page {
  static func silences(app: String) -> Page { Page(SilencesAddress.self, [app]) }
  static func silence(app: String, _ number: Int64) -> Page { Page(SilenceAddress.self, [app, "\(number)"]) }
}

import HTML
import Health
import Storage
import Telemetry
import Wording

/// An open incident with its evidence.
struct IncidentCard: Markup {
  var entry: AlertList.Entry
  var links: Links
  var asOf: Timestamp

  func write(to html: inout HTMLWriter) {
    let incident = entry.incident
    html.element("section", Attribute("id", incident.id)) { html in
      html.element("h2") { html in
        html.write(SeverityBadge(severity: incident.severity))
        html.text(" ")
        if let app = entry.app {
          html.element("a", .href(links.href(.app(app)))) { $0.write(AppName(app: app, links: links)) }
          html.text(": ")
        }
        html.write(Name(incident.key.readableTitle))
      }
      html.element("p") { $0.element("bdi", text: incident.readableSummary) }
      html.element("dl", .class("facts")) { html in
        for fact in facts(incident) {
          html.element("dt", text: fact.name)
          html.element("dd") { $0.element("bdi", text: fact.value) }
        }
      }
      if let advice = incident.evidence.advice { html.element("p", .class("meta"), text: advice) }
      metric(incident, &html)
    }
  }

  private func facts(_ incident: Incident) -> [Incident.Fact] {
    let minutes = Double(asOf.milliseconds - incident.opened.milliseconds) / 60_000
    var facts = [Incident.Fact("Open since", "\(incident.opened.iso), for \(Elapsed.text(minutes: minutes))")]
    facts += incident.evidence.facts
    if let since = incident.recoveringSince {
      let events = Decimal.grouped(incident.recoveredCount)
      facts.append(Incident.Fact("Better since", "\(since.iso), on \(events) new events"))
    }
    if incident.announced == nil { facts.append(Incident.Fact("Told", "nobody: it is silenced")) }
    return facts + [Incident.Fact("Last look", incident.evaluated.iso)]
  }

  private func metric(_ incident: Incident, _ html: inout HTMLWriter) {
    guard let app = entry.app else { return }
    let (page, title): (Page, String) =
      if let metric = incident.key.metric {
        (.metric(app: app, name: metric), "Open the metric")
      } else {
        (.dataQuality(app: app), "Open data quality")
      }
    html.element("p") { $0.element("a", .href(links.href(page)), text: title) }
  }
}

/// The severity of an incident as a word with a symbol.
struct SeverityBadge: Markup {
  var severity: Incident.Severity

  func write(to html: inout HTMLWriter) {
    let verdict: Verdict? = severity == .critical ? .broken : .warning
    html.element("span", .class("badge", verdict.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
      html.text(" " + severity.rawValue)
    }
  }
}

import Analysis
import Core
import Storage

/// An open incident: what broke and when, which channels were notified, and what to do. Details are collapsed.
struct IncidentCard: Markup {
  var entry: AlertList.Entry
  var list: AlertList
  var canEdit: Bool
  var links: Links

  private var incident: Incident { entry.incident }

  func write(to html: inout HTMLWriter) {
    html.element("li", Attribute("id", incident.id), .class("card", style)) { html in
      html.element("h3") { html in
        html.write(SeverityBadge(severity: incident.severity))
        html.text(" ")
        html.element("bdi", text: incident.title)
      }
      html.element("p", .class("meta")) { html in
        html.text("Since ")
        date(incident.since, &html)
        html.text(", detected ")
        date(incident.opened, &html)
        html.text(". ")
        told(&html)
      }
      advice(&html)
      html.element("details") { html in
        let count = incident.open.count
        html.element("summary", text: count == 1 ? "Evidence" : "What broke: \(Decimal.grouped(count))")
        html.element("ul", .class("breaches")) { html in
          for breach in incident.ranked { html.write(BreachItem(breach: breach)) }
        }
        html.element("p", .class("meta"), text: "Checked \(incident.evaluated.dayOrMinute). Incident \(incident.id)")
      }
      if canEdit, let app = entry.app { decision(app, &html) }
    }
  }

  private var style: StaticString { incident.severity == .critical ? "broken" : "warning" }

  private func advice(_ html: inout HTMLWriter) {
    let advice = incident.lead?.evidence.advice
    guard advice != nil || entry.page != nil else { return }
    html.element("p", .class("advice")) { html in
      if let advice { html.element("bdi", text: advice + " ") }
      if let page = entry.page {
        html.element("a", .href(links.href(page, narrowed)), text: label)
      }
    }
  }

  /// The filter of the linked page: the incident's release and environment.
  private var narrowed: ReportQuery {
    var query = ReportQuery()
    query.release = incident.key.release
    if incident.key.environment != "production" { query.environment = incident.key.environment }
    return query
  }

  private var label: String {
    guard let key = incident.lead?.key else { return "Open" }
    if key.group != nil { return "Open the group" }
    if let metric = key.metric {
      return "Open \(Catalogue.metric(named: metric).map { EventNoun.withinSentence($0.title) } ?? metric)"
    }
    return key.rule == .evaluation ? "Open the budgets" : "Open data quality"
  }

  /// The delivery state: a silence, or the result of the last message on each channel.
  private func told(_ html: inout HTMLWriter) {
    if let silence = list.silence(of: incident) {
      html.text("Silenced until ")
      date(silence.ends, &html)
      html.text(": ")
      return html.element("bdi", text: silence.reason)
    }
    guard let announced = incident.announced else { return html.text("No message sent yet.") }
    let delivered = entry.deliveries.filter { $0.value.delivered != nil }.keys.sorted().map(Self.name)
    let failed = entry.deliveries.filter { $0.value.delivered == nil && $0.value.failure != nil }
    guard !delivered.isEmpty || !failed.isEmpty else {
      html.text("No channel has accepted the message from ")
      date(announced, &html)
      return html.text(".")
    }
    if !delivered.isEmpty {
      html.text("Sent to ")
      html.element("bdi", text: delivered.joined(separator: ", "))
      html.text(" on ")
      date(announced, &html)
      html.text(". ")
    }
    for (channel, delivery) in failed.sorted(by: { $0.key < $1.key }) {
      html.element("bdi", text: "Not delivered to \(channel): \(delivery.failure ?? ""). ")
    }
  }

  private func date(_ time: Timestamp, _ html: inout HTMLWriter) {
    html.element("span", .class("date"), text: time.dayOrMinute)
  }

  /// The name of a channel for readers. Command output and the log are also channels.
  private static func name(_ channel: String) -> String {
    switch channel {
    case "output": "the output of plumb check"
    case "log": "the server’s log"
    default: channel
    }
  }

  private func decision(_ app: String, _ html: inout HTMLWriter) {
    let silence = list.silence(of: incident)
    // Only a command can end a silence of all apps.
    if let silence, silence.app == nil { return }
    let address = silence.map { Page.silence(app: app, $0.id) } ?? .silences(app: app)
    html.element("form", Attribute("method", literal: "post"), Attribute("action", links.href(address, .init()))) {
      html in
      if silence == nil {
        for (name, value) in [("incident", incident.id), ("hours", "24"), ("reason", "silenced on the alerts page")] {
          html.leaf("input", Attribute("type", literal: "hidden"), Attribute("name", name), Attribute("value", value))
        }
      }
      html.element(
        "button", .class("quiet"),
        Attribute("aria-label", "\(silence == nil ? "Silence for 24 hours" : "End the silence"): \(incident.title)"),
        text: silence == nil ? "Silence for 24 hours" : "End the silence")
    }
  }
}

/// One breach of an incident with its evidence.
private struct BreachItem: Markup {
  var breach: Breach

  func write(to html: inout HTMLWriter) {
    html.element("li") { html in
      html.element("p") { html in
        html.element("strong", text: breach.key.label(breach.severity))
        html.text(" ")
        html.element("bdi", text: breach.evidence.headline)
      }
      if breach.evidence.headline != breach.evidence.summary {
        html.element("p", .class("meta")) { $0.element("bdi", text: breach.readableSummary) }
      }
      html.element("dl", .class("facts")) { html in
        for fact in facts {
          html.element("div") { html in
            html.element("dt", text: fact.name)
            html.element("dd") { $0.element("bdi", text: fact.value) }
          }
        }
      }
    }
  }

  private var facts: [Detail] {
    var facts = [Detail("Since", breach.since.dayOrMinute)] + breach.evidence.facts
    if let closed = breach.closed {
      facts.append(Detail("Ended", "\(closed.dayOrMinute). \(breach.closedBecause ?? "")"))
    } else if let since = breach.recoveringSince {
      let events = Decimal.grouped(breach.recoveredCount)
      facts.append(Detail("Recovering since", "\(since.dayOrMinute), over \(events) new events"))
    }
    return facts
  }
}

/// The severity of an incident as a word with a symbol.
struct SeverityBadge: Markup {
  var severity: Severity

  func write(to html: inout HTMLWriter) {
    let verdict: Verdict? = severity == .critical ? .broken : .warning
    html.element("span", .class("badge", verdict.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
      html.text(" " + severity.rawValue)
    }
  }
}

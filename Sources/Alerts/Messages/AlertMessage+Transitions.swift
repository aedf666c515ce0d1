import Foundation
public import Notifications
import Storage
public import Telemetry
import Wording

extension AlertMessage {
  /// One message for everything that happened to an app at once; nil when nobody has to hear of it.
  ///
  /// - Parameter app: the bundle identifier; nil for what concerns all apps.
  public init?(_ transitions: [Transition], app: String?, links: AlertLinks, now: Timestamp) {
    let told = transitions.compactMap { change in change.event.map { (incident: change.incident, event: $0) } }
      .sorted { Self.rank($0.event, $0.incident) < Self.rank($1.event, $1.incident) }
    guard let first = told.first else { return nil }
    let items = told.map { Item($0.incident, $0.event, link: links.incident($0.incident, app), now: now) }
    let releases = Set(told.compactMap { $0.incident.key.slice?.release })
    let environments = Set(told.compactMap { $0.incident.key.slice?.environment })
    let severities = told.filter { $0.event == first.event }.compactMap { Severity($0.incident.severity) }
    let name = IncidentName.hash(told.map { $0.incident.id + $0.event.rawValue } + ["\(now.milliseconds)"])
    self.init(
      identifier: name, event: first.event, severity: severities.max() ?? .info, app: app ?? Self.everyApp,
      release: releases.count == 1 ? releases.first : nil,
      environment: environments.count == 1 ? environments.first : nil,
      title: OneLine.text(MessageTitle(told, app: app ?? Self.everyApp).text), items: items,
      link: items.count == 1 ? items[0].link : links.all ?? items[0].link, time: now.date)
  }

  /// What stands for the app where all are concerned. No bundle identifier has a space.
  public static let everyApp = "all apps"

  /// The gravest first; of one kind the broken budgets before what follows from them.
  private static func rank(_ event: Event, _ incident: Incident) -> (Int, Int, Int, String) {
    let severity = Severity.allCases.firstIndex(of: Severity(incident.severity)) ?? 0
    let rule = IncidentKey.Rule.allCases.firstIndex(of: incident.key.rule) ?? 0
    return (Event.allCases.firstIndex(of: event) ?? 0, -severity, rule, incident.evidence.summary)
  }
}

extension AlertMessage.Item {
  init(_ incident: Incident, _ event: AlertMessage.Event, link: String?, now: Timestamp) {
    let end = incident.closed ?? now
    let lasted = Elapsed.text(minutes: Double(end.milliseconds - incident.opened.milliseconds) / 60_000)
    let isNew = incident.closed == nil && now == incident.opened
    let since = AlertMessage.Fact(
      name: "Since", value: isNew ? incident.opened.iso : "\(incident.opened.iso), for \(lasted)")
    let reason = incident.closedBecause.map { [AlertMessage.Fact(name: "Why", value: $0)] } ?? []
    self.init(
      incident: incident.id, event: event, summary: OneLine.text(incident.evidence.summary),
      facts: reason + [since]
        + incident.evidence.facts.map { AlertMessage.Fact(name: $0.name, value: OneLine.text($0.value)) },
      advice: incident.closed == nil ? incident.evidence.advice : nil, link: link, since: incident.opened.date)
  }
}

extension AlertMessage.Severity {
  init(_ severity: Incident.Severity) {
    switch severity {
    case .info: self = .info
    case .warning: self = .warning
    case .critical: self = .critical
    }
  }
}

extension Timestamp {
  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

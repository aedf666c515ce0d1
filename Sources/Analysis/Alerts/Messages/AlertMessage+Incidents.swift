import Core
import Storage

extension AlertMessage {
  /// A message about all transitions of one evaluation; nil if no transition has an event to report.
  ///
  /// - Parameters:
  ///   - app: the bundle identifier; nil for incidents of the whole data folder.
  ///   - decision: the version of the state that the evaluation changes. It distinguishes two evaluations with the same
  ///     `now`, such as of `plumb check --now`, and the same incident text.
  init?(_ transitions: [Transition], app: String?, links: AlertLinks, now: Timestamp, decision: Int64) {
    let reported = transitions.compactMap { change in change.event.map { (change: change, event: $0) } }
      .sorted { Self.rank($0.event, $0.change.incident) < Self.rank($1.event, $1.change.incident) }
    guard let first = reported.first else { return nil }
    let items = reported.map { Item($0.change, $0.event, link: links.incident($0.change.incident, app), now: now) }
    let incidents = reported.map(\.change.incident)
    let releases = Set(incidents.map(\.key.release))
    let environments = Set(incidents.compactMap(\.key.environment))
    let severities = reported.filter { $0.event == first.event }.map(\.change.incident.severity)
    let name = IncidentIdentifier.hash(
      reported.map { $0.change.incident.id + $0.event.rawValue } + ["\(now.milliseconds) \(decision)"])
    self.init(
      identifier: name, event: first.event, severity: severities.max() ?? .info, app: app ?? Self.everyApp,
      release: releases.count == 1 ? releases.first ?? nil : nil,
      environment: environments.count == 1 ? environments.first : nil,
      title: OneLineText.text(MessageTitle(items, reported.map(\.change), app: app ?? Self.everyApp).text),
      items: items,
      link: links.overview(app) ?? items[0].link, time: now)
  }

  /// The sort key of an incident in a message: by event, then by severity (highest first), then releases before the
  /// whole app.
  private static func rank(_ event: Event, _ incident: Incident) -> (Int, Int, Int, String) {
    let severity = Severity.allCases.firstIndex(of: incident.severity) ?? 0
    let theme = IncidentKey.Theme.allCases.firstIndex(of: incident.key.theme) ?? 0
    return (Event.allCases.firstIndex(of: event) ?? 0, -severity, theme, incident.title)
  }
}

extension AlertMessage.Item {
  /// An item that summarises one incident, with a row for each breach if there is more than one.
  init(_ change: Transition, _ event: AlertMessage.Event, link: String?, now: Timestamp) {
    let incident = change.incident
    let breaches = incident.closed == nil ? incident.open : incident.ranked
    let isSingle = breaches.count == 1 && incident.breaches.count == 1
    let reason = incident.closedBecause.map { [Detail("Why", $0)] } ?? []
    // The summary and the facts are about what is new.
    let first = IncidentTitle.lead(breaches, change.news)
    let lead = first?.evidence
    let rows = isSingle ? [] : Self.rows(breaches, change.news, lead: first?.key)
    let title = IncidentTitle.text(incident, news: change.news)
    self.init(
      incident: incident.id, event: event,
      summary: OneLineText.text(isSingle ? lead?.summary ?? title : title),
      facts: reason + [Self.noticed(incident, now)] + rows
        + (lead?.facts ?? []).map { Detail($0.name, OneLineText.text($0.value)) },
      advice: incident.closed == nil ? lead?.advice : nil, link: link, since: incident.since)
  }

  private static func noticed(_ incident: Incident, _ now: Timestamp) -> Detail {
    let end = incident.closed ?? now
    let lasted = Elapsed.text(minutes: Double(end.milliseconds - incident.opened.milliseconds) / 60_000)
    let isNew = incident.closed == nil && now == incident.opened
    return Detail("Noticed", isNew ? incident.opened.iso : "\(incident.opened.iso), open for \(lasted)")
  }

  /// The maximum number of breaches that a message lists; the rest is counted.
  private static let most = 12

  private static func rows(_ breaches: [Breach], _ news: Set<BreachKey>, lead: BreachKey?) -> [Detail] {
    // New breaches come first, because they are the reason for the message.
    let sorted = breaches.filter { news.contains($0.key) } + breaches.filter { !news.contains($0.key) }
    let rows = sorted.prefix(most).flatMap { breach -> [Detail] in
      let row = Detail(
        (news.contains(breach.key) ? "Now also: " : "") + breach.key.label(breach.severity),
        OneLineText.text(breach.evidence.summary))
      // The facts of the leading breach follow below the rows.
      guard let group = breach.key.group, breach.key != lead else { return [row] }
      return [row, Detail("Group", OneLineText.text(group))]
    }
    let more = sorted.count - most
    return rows + (more > 0 ? [Detail("And", "\(more) more")] : [])
  }
}

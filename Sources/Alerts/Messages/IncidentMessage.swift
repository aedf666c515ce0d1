import Foundation
public import Notifications
public import Storage
public import Telemetry
import Wording

extension AlertMessage {
  /// One message about all transitions of one evaluation; nil if no transition has an event to report.
  ///
  /// - Parameter app: the bundle identifier; nil for incidents that concern all apps.
  public init?(_ transitions: [Transition], app: String?, links: AlertLinks, now: Timestamp) {
    let reported = transitions.compactMap { change in change.event.map { (change: change, event: $0) } }
      .sorted { Self.rank($0.event, $0.change.incident) < Self.rank($1.event, $1.change.incident) }
    guard let first = reported.first else { return nil }
    let items = reported.map { Item($0.change, $0.event, link: links.incident($0.change.incident, app), now: now) }
    let incidents = reported.map(\.change.incident)
    let releases = Set(incidents.map(\.key.release))
    let environments = Set(incidents.compactMap(\.key.environment))
    let severities = reported.filter { $0.event == first.event }.compactMap { Severity($0.change.incident.severity) }
    let name = IncidentIdentifier.hash(
      reported.map { $0.change.incident.id + $0.event.rawValue } + ["\(now.milliseconds)"])
    self.init(
      identifier: name, event: first.event, severity: severities.max() ?? .info, app: app ?? Self.everyApp,
      release: releases.count == 1 ? releases.first ?? nil : nil,
      environment: environments.count == 1 ? environments.first : nil,
      title: OneLine.text(MessageTitle(items, incidents, app: app ?? Self.everyApp).text), items: items,
      link: links.overview(app) ?? items[0].link, time: now.date)
  }

  /// The value of `app` in messages that concern all apps. It cannot equal a bundle identifier, which has no space.
  public static let everyApp = "all apps"

  /// The sort key of an incident in a message: the event, the severity (highest first), then releases before the whole
  /// app.
  private static func rank(_ event: Event, _ incident: Incident) -> (Int, Int, Int, String) {
    let severity = Severity.allCases.firstIndex(of: Severity(incident.severity)) ?? 0
    let theme = IncidentKey.Theme.allCases.firstIndex(of: incident.key.theme) ?? 0
    return (Event.allCases.firstIndex(of: event) ?? 0, -severity, theme, incident.title)
  }
}

extension AlertMessage.Item {
  /// Sums an incident up; the rows below are its breaches, unless there is one only.
  init(_ change: Transition, _ event: AlertMessage.Event, link: String?, now: Timestamp) {
    let incident = change.incident
    let breaches = incident.closed == nil ? incident.open : incident.ranked
    let isSingle = breaches.count == 1 && incident.breaches.count == 1
    let reason = incident.closedBecause.map { [AlertMessage.Fact(name: "Why", value: $0)] } ?? []
    let rows = isSingle ? [] : Self.rows(breaches, change.news)
    let lead = breaches.first?.evidence
    self.init(
      incident: incident.id, event: event,
      summary: OneLine.text(isSingle ? lead?.summary ?? incident.title : incident.title),
      facts: reason + [Self.noticed(incident, now)] + rows
        + (lead?.facts ?? []).map { AlertMessage.Fact(name: $0.name, value: OneLine.text($0.value)) },
      advice: incident.closed == nil ? lead?.advice : nil, link: link, since: incident.since.date)
  }

  private static func noticed(_ incident: Incident, _ now: Timestamp) -> AlertMessage.Fact {
    let end = incident.closed ?? now
    let lasted = Elapsed.text(minutes: Double(end.milliseconds - incident.opened.milliseconds) / 60_000)
    let isNew = incident.closed == nil && now == incident.opened
    return AlertMessage.Fact(
      name: "Noticed", value: isNew ? incident.opened.iso : "\(incident.opened.iso), open for \(lasted)")
  }

  /// The most breaches that a message lists; the rest is only counted.
  private static let most = 12

  private static func rows(_ breaches: [Breach], _ news: Set<BreachKey>) -> [AlertMessage.Fact] {
    // What is new comes first, because a message about it is sent for that.
    let sorted = breaches.filter { news.contains($0.key) } + breaches.filter { !news.contains($0.key) }
    let rows = sorted.prefix(most).flatMap { breach -> [AlertMessage.Fact] in
      let row = AlertMessage.Fact(
        name: (news.contains(breach.key) ? "Now also: " : "") + breach.key.label(breach.severity),
        value: OneLine.text(breach.evidence.summary))
      // The facts of the first breach follow below the rows.
      guard let group = breach.key.group, breach.key != breaches.first?.key else { return [row] }
      return [row, AlertMessage.Fact(name: "Group", value: OneLine.text(group))]
    }
    let more = sorted.count - most
    return rows + (more > 0 ? [AlertMessage.Fact(name: "And", value: "\(more) more")] : [])
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

/// The title of a message: its first line, which is sufficient by itself.
struct MessageTitle {
  private let items: [AlertMessage.Item]
  private let incidents: [Incident]
  private let app: String

  /// Takes the items of the message, the most severe first, and the incident of each.
  init(_ items: [AlertMessage.Item], _ incidents: [Incident], app: String) {
    self.items = items
    self.incidents = incidents
    self.app = app
  }

  /// The title's text: `BROKEN com.example.shop: 4.2.0: a new crash in Cart.pay() explains 73 % of its crashes; four more
  /// budgets broken; also all releases`.
  var text: String {
    guard let first = items.first, let incident = incidents.first else { return app }
    let start = "\(Self.word(first.event, incident)) \(app): \(first.summary)"
    guard items.count > 1 else { return start }
    let named = zip(items, incidents).dropFirst().prefix(Self.most).map { name($1, $0.event, after: first.event) }
    let more = items.count - 1 > Self.most ? " and \(items.count - 1 - Self.most) more" : ""
    return "\(start); also \(named.joined(separator: ", "))\(more)"
  }

  /// The most further incidents that the title names; the rest is only counted.
  private static let most = 4

  /// The first word of the title, in capitals: `BROKEN`, `RESOLVED`.
  static func word(_ event: AlertMessage.Event, _ incident: Incident) -> String {
    switch event {
    case .opened: state(incident)
    case .worsened: "MORE BROKEN"
    case .stillBroken: "STILL \(state(incident))"
    case .resolved: "RESOLVED"
    case .retired: "RETIRED"
    case .digest: "DIGEST"
    }
  }

  private static func state(_ incident: Incident) -> String {
    switch incident.lead?.key.rule {
    case .stale: "NO DATA"
    case .missing: "NOT ENOUGH DATA"
    case .digest: "BEHIND"
    case .quarantine: "SET ASIDE"
    case .space: "DISK"
    case .evaluation: "NOT JUDGED"
    case .regression: "WORSE"
    case .newGroup: "NEW CAUSE"
    case .groupSpike: "SPIKE"
    case .budget, .warning, .burn, nil: incident.severity == .critical ? "BROKEN" : "WARNING"
    }
  }

  private func name(_ incident: Incident, _ event: AlertMessage.Event, after first: AlertMessage.Event) -> String {
    let word = event == first ? "" : " (\(Self.word(event, incident).lowercased()))"
    return IncidentTitle.subject(incident.key) + word
  }
}

/// Makes the absolute addresses of dashboard pages for messages.
public struct AlertLinks: Sendable {
  /// The address of the page about an incident of an app; nil without a public URL.
  public var incident: @Sendable (Incident, _ app: String?) -> String?
  /// The address of the page that lists the incidents of an app, or of all apps; nil without a public URL.
  public var overview: @Sendable (_ app: String?) -> String?

  public init(
    overview: @escaping @Sendable (_ app: String?) -> String?,
    incident: @escaping @Sendable (Incident, _ app: String?) -> String?
  ) {
    self.overview = overview
    self.incident = incident
  }

  /// Makes no links, for a server whose public URL is unknown.
  public static let none = AlertLinks(overview: { _ in nil }, incident: { _, _ in nil })
}

/// Stable identifiers of incidents and messages: the same key and opening time give the same identifier in every
/// process. Receivers match the end of an incident to its beginning by it, so the hash must never change.
enum IncidentIdentifier {
  /// The identifier of an incident: 16 hexadecimal digits.
  static func of(_ key: IncidentKey, app: AppID, opened: Timestamp) -> String {
    hash(
      ["\(app)", key.theme.rawValue, key.environment ?? "\u{1}", key.release ?? "\u{1}", "\(opened.milliseconds)"])
  }

  /// 16 hexadecimal digits of a list of texts: FNV-1a with a byte between the texts that UTF-8 never contains, and the
  /// final mix of SplitMix64.
  static func hash(_ parts: [String]) -> String {
    var z: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      for byte in part.utf8 { z = (z ^ UInt64(byte)) &* 0x100_0000_01b3 }
      z = (z ^ 0xff) &* 0x100_0000_01b3
    }
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    let digits = String(z ^ (z >> 31), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

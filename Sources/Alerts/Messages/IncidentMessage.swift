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
    let reported = transitions.compactMap { change in change.event.map { (incident: change.incident, event: $0) } }
      .sorted { Self.rank($0.event, $0.incident) < Self.rank($1.event, $1.incident) }
    guard let first = reported.first else { return nil }
    let items = reported.map { Item($0.incident, $0.event, link: links.incident($0.incident, app), now: now) }
    let releases = Set(reported.compactMap { $0.incident.key.slice?.release })
    let environments = Set(reported.compactMap { $0.incident.key.slice?.environment })
    let severities = reported.filter { $0.event == first.event }.compactMap { Severity($0.incident.severity) }
    let name = IncidentIdentifier.hash(reported.map { $0.incident.id + $0.event.rawValue } + ["\(now.milliseconds)"])
    self.init(
      identifier: name, event: first.event, severity: severities.max() ?? .info, app: app ?? Self.everyApp,
      release: releases.count == 1 ? releases.first : nil,
      environment: environments.count == 1 ? environments.first : nil,
      title: OneLine.text(MessageTitle(reported, app: app ?? Self.everyApp).text), items: items,
      link: items.count == 1 ? items[0].link : links.all ?? items[0].link, time: now.date)
  }

  /// The value of `app` in messages that concern all apps. It cannot equal a bundle identifier, which has no space.
  public static let everyApp = "all apps"

  /// The sort key of an incident in a message: the event, the severity (highest first), then broken budgets before
  /// rules that follow from them.
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

/// The title of a message: its first line, which is sufficient by itself.
struct MessageTitle {
  private let reported: [(incident: Incident, event: AlertMessage.Event)]
  private let app: String

  /// Takes the incidents to report, the most severe first.
  init(_ reported: [(incident: Incident, event: AlertMessage.Event)], app: String) {
    self.reported = reported
    self.app = app
  }

  /// The title's text: `BROKEN com.example.shop: p90 launch.first_draw is 2.31 s (…), budget <= 2 s [production,
  /// 4.2.0]; also …`
  var text: String {
    guard let first = reported.first else { return app }
    let start = "\(Self.word(first.event, first.incident)) \(app): \(first.incident.evidence.summary)"
    let others = reported.dropFirst()
    guard !others.isEmpty else { return start }
    let named = others.prefix(Self.most).map { name($0.incident, $0.event, after: first.event) }
    let more = others.count > Self.most ? " and \(others.count - Self.most) more" : ""
    return "\(start); also \(named.joined(separator: ", "))\(more)"
  }

  /// The most further incidents that the title names; the rest is only counted.
  private static let most = 4

  /// The first word of the title, in capitals: `BROKEN`, `RESOLVED`.
  static func word(_ event: AlertMessage.Event, _ incident: Incident) -> String {
    switch event {
    case .opened: state(incident)
    case .stillBroken: "STILL \(state(incident))"
    case .resolved: "RESOLVED"
    case .retired: "RETIRED"
    case .digest: "DIGEST"
    }
  }

  private static func state(_ incident: Incident) -> String {
    switch incident.key.rule {
    case .stale: "NO DATA"
    case .missing: "NOT ENOUGH DATA"
    case .digest: "BEHIND"
    case .quarantine: "SET ASIDE"
    case .space: "DISK"
    case .evaluation: "NOT JUDGED"
    case .regression: "WORSE"
    case .newGroup: "NEW CAUSE"
    case .groupSpike: "SPIKE"
    case .budget, .warning, .burn: incident.severity == .critical ? "BROKEN" : "WARNING"
    }
  }

  private func name(_ incident: Incident, _ event: AlertMessage.Event, after first: AlertMessage.Event) -> String {
    let release = incident.key.slice?.release.map { " of \($0)" } ?? ""
    let word = event == first ? "" : " (\(Self.word(event, incident).lowercased()))"
    return incident.key.title + release + word
  }
}

/// Makes the absolute addresses of dashboard pages for messages.
public struct AlertLinks: Sendable {
  /// The address of the page about an incident of an app; nil without a public URL.
  public var incident: @Sendable (Incident, _ app: String?) -> String?
  /// The address of the page that lists all incidents; nil without a public URL.
  public var all: String?

  public init(all: String?, incident: @escaping @Sendable (Incident, _ app: String?) -> String?) {
    self.all = all
    self.incident = incident
  }

  /// Makes no links, for a server whose public URL is unknown.
  public static let none = AlertLinks(all: nil) { _, _ in nil }
}

/// Stable identifiers of incidents and messages: the same key and opening time give the same identifier in every
/// process. Receivers match the end of an incident to its beginning by it, so the hash must never change.
enum IncidentIdentifier {
  /// The identifier of an incident: 16 hexadecimal digits.
  static func of(_ key: IncidentKey, app: AppID, opened: Timestamp) -> String {
    let slice = key.slice.map { [$0.environment, $0.release, $0.os, $0.device, $0.deviceClass, $0.label] } ?? []
    let parts = ["\(app)", key.rule.rawValue, key.subject, "\(opened.milliseconds)"] + slice.map { $0 ?? "\u{1}" }
    return hash(parts)
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

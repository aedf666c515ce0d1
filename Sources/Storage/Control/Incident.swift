public import Core

/// A set of related breaches in one release of an app, or in one theme. It is open from the time the first breach is
/// certain until all are certainly over. Only incidents cause messages.
public struct Incident: Sendable, Hashable, Identifiable {
  /// A stable id of this occurrence. A problem that recurs after it was resolved is a new incident.
  public var id: String
  /// The app; `Incident.folder` for a problem that concerns all apps.
  public var app: AppID
  public var key: IncidentKey
  public var state: State
  /// One line that sums up what broke: `4.3.0: a new crash in Cart.pay() explains 73 % of its crashes`.
  public var title: String
  /// The time at which the first breach was detected.
  public var opened: Timestamp
  public var closed: Timestamp?
  /// The reason for closing the incident, as a sentence.
  public var closedBecause: String?
  /// The time of the last evaluation that had a result for one of the open breaches.
  public var evaluated: Timestamp
  /// All breaches, in the order of detection.
  public var breaches: [Breach]

  public init(
    id: String, app: AppID, key: IncidentKey, state: State = .open, title: String = "", opened: Timestamp,
    closed: Timestamp? = nil, closedBecause: String? = nil, evaluated: Timestamp, breaches: [Breach]
  ) {
    self.id = id
    self.app = app
    self.key = key
    self.state = state
    self.title = title
    self.opened = opened
    self.closed = closed
    self.closedBecause = closedBecause
    self.evaluated = evaluated
    self.breaches = breaches
  }

  /// The app id of incidents that concern the whole installation. No app has it.
  public static let folder: AppID = 0

  public enum State: String, Sendable, CaseIterable, Codable {
    case open
    /// The incident is proven to be over.
    case resolved
    /// The incident is no longer evaluated, because the release is superseded or the budget was removed.
    case retired
  }

  /// The result of an evaluation.
  public enum Condition: String, Sendable, CaseIterable, Codable {
    /// The requirement is broken with a confidence of 99.9 %.
    case broken
    /// The requirement is neither certainly broken nor certainly met.
    case unclear
    /// The estimate meets the requirement, and a breach is not shown at 95 %, but it is not proven that the requirement
    /// is met.
    case recovering
    /// The requirement is proven to be met.
    case within
  }
}

extension Incident {
  /// The breaches that are not over, most important first: crashes, then critical ones.
  public var open: [Breach] { Self.ranked(breaches.filter { $0.closed == nil }) }

  /// All breaches, most important first, with open ones before those that are over.
  public var ranked: [Breach] { open + Self.ranked(breaches.filter { $0.closed != nil }) }

  /// The most important breach; nil if there is none.
  public var lead: Breach? { ranked.first }

  /// The highest severity of the open breaches. A closed incident has the highest severity of all its breaches, so that
  /// the message about its end is routed like the first one.
  public var severity: Severity {
    let open = breaches.filter { $0.closed == nil }
    return (open.isEmpty ? breaches : open).map(\.severity).max() ?? .warning
  }

  /// The time of the earliest breach, according to the data.
  public var since: Timestamp { breaches.map(\.since).min() ?? opened }

  /// The time of the last message; nil if silences suppressed all messages.
  public var announced: Timestamp? { breaches.compactMap(\.announced).max() }

  private static func ranked(_ breaches: [Breach]) -> [Breach] {
    breaches.sorted { ($0.rank, $0.since, $0.key.subject) < ($1.rank, $1.since, $1.key.subject) }
  }
}

/// The identity of an incident: the release, or the theme if it is not about a release. An app has at most one open
/// incident with a given key.
public struct IncidentKey: Sendable, Hashable {
  public var theme: Theme
  /// The environment; nil if the theme has none.
  public var environment: String?
  /// The version, which includes all its builds; nil if the theme is not a release.
  public var release: String?

  public init(_ theme: Theme, environment: String? = nil, release: String? = nil) {
    self.theme = theme
    self.environment = environment
    self.release = release
  }

  /// The subject of an incident.
  public enum Theme: String, Sendable, CaseIterable, Codable {
    /// One release of an app.
    case release
    /// An app in all releases.
    case app
    /// Payloads that no longer arrive or are too few.
    case data
    /// An app that cannot be evaluated.
    case evaluation
    /// Payloads that are received, but not aggregated.
    case digest
    /// Quarantined records.
    case quarantine
    /// Disk space.
    case space
  }
}

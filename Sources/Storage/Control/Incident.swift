public import Core

/// What is wrong with an app in one release, or in one theme: from the time it was certain until all of it is certainly
/// over. Only incidents cause messages.
public struct Incident: Sendable, Hashable, Identifiable {
  /// A stable id of this occurrence. A problem that recurs after it was resolved is another incident.
  public var id: String
  /// The app; `Incident.folder` for a problem that concerns all apps.
  public var app: AppID
  public var key: IncidentKey
  public var state: State
  /// What broke, summed up in one line: `4.3.0: a new crash in Cart.pay() explains 73 % of its crashes`.
  public var title: String
  /// When the first breach was noticed.
  public var opened: Timestamp
  public var closed: Timestamp?
  /// The reason why the incident was closed, as a sentence.
  public var closedBecause: String?
  /// The time of the last evaluation that had a result for one of the open breaches.
  public var evaluated: Timestamp
  /// Everything that broke, in the order in which it was noticed.
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
    /// The estimate meets the requirement and a breach is not shown at 95 %, but that it is met is not proven either.
    case recovering
    /// The requirement is proven to be met.
    case within
  }
}

extension Incident {
  /// The breaches that are not over, the most important first: crashes, then what is critical.
  public var open: [Breach] { Self.ranked(breaches.filter { $0.closed == nil }) }

  /// All breaches, the most important first, open ones before those that are over.
  public var ranked: [Breach] { open + Self.ranked(breaches.filter { $0.closed != nil }) }

  /// The most important breach; nil only if there is none at all.
  public var lead: Breach? { ranked.first }

  /// The highest severity of the open breaches. A closed incident has that of all, so that its end is routed like its
  /// beginning.
  public var severity: Severity {
    let open = breaches.filter { $0.closed == nil }
    return (open.isEmpty ? breaches : open).map(\.severity).max() ?? .warning
  }

  /// When it broke, by the data: the earliest time of a breach.
  public var since: Timestamp { breaches.map(\.since).min() ?? opened }

  /// The time of the last message; nil if there was none, because silences cover everything.
  public var announced: Timestamp? { breaches.compactMap(\.announced).max() }

  private static func ranked(_ breaches: [Breach]) -> [Breach] {
    breaches.sorted { ($0.rank, $0.since, $0.key.subject) < ($1.rank, $1.since, $1.key.subject) }
  }
}

/// The identity of an incident: the release, or the theme if it is not about a release. At most one incident of an app
/// with a given key is open.
public struct IncidentKey: Sendable, Hashable {
  public var theme: Theme
  /// The environment; nil for themes that are not about one.
  public var environment: String?
  /// The version, which stands for all its builds; nil if the theme is not a release.
  public var release: String?

  public init(_ theme: Theme, environment: String? = nil, release: String? = nil) {
    self.theme = theme
    self.environment = environment
    self.release = release
  }

  /// What an incident is about.
  public enum Theme: String, Sendable, CaseIterable, Codable {
    /// One release of an app.
    case release
    /// An app in all its releases.
    case app
    /// Payloads that stop coming, or of which there are too few.
    case data
    /// An app that cannot be evaluated.
    case evaluation
    /// Payloads that are received, but not aggregated.
    case digest
    /// Records that were set aside.
    case quarantine
    /// The room on the disk.
    case space
  }
}

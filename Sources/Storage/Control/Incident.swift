public import Telemetry

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

  public enum State: String, Sendable, CaseIterable {
    case open
    /// The incident is proven to be over.
    case resolved
    /// The incident is no longer evaluated, because the release is superseded or the budget was removed.
    case retired
  }

  public enum Severity: String, Sendable, CaseIterable, Comparable {
    case info
    case warning
    case critical

    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The result of an evaluation.
  public enum Condition: String, Sendable, CaseIterable {
    /// The requirement is broken with a confidence of 99.9 %.
    case broken
    /// The requirement is neither certainly broken nor certainly met.
    case unclear
    /// The estimate meets the requirement and a breach is not shown at 95 %, but that it is met is not proven either.
    case recovering
    /// The requirement is proven to be met.
    case within
  }

  /// The text that messages and pages show about a breach.
  public struct Evidence: Sendable, Hashable {
    /// A few words for the incident's title: `a new crash in Cart.pay() explains 73 % of its crashes`.
    public var headline: String
    /// The facts in one line: metric, release, value with interval and n, budget.
    public var summary: String
    public var facts: [Fact]
    /// Advice to the team on what to check first.
    public var advice: String?

    /// Without a headline the summary is used for it.
    public init(summary: String, facts: [Fact] = [], advice: String? = nil, headline: String? = nil) {
      self.headline = headline ?? summary
      self.summary = summary
      self.facts = facts
      self.advice = advice
    }
  }

  /// A further line, as name and value: `previous release`, `4.1.0: 99.62 %`.
  public struct Fact: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
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
  public enum Theme: String, Sendable, CaseIterable {
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

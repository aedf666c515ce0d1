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

/// The state from which the next evaluation of an app's alerts starts: the last evaluation and the open incidents.
public struct AlertState: Sendable, Equatable {
  /// A number that grows with every stored change, by which concurrent changes are recognised.
  public var version: Int64
  /// The journal sequence up to which records were part of the last evaluation.
  public var digestedThrough: Int64
  /// A fingerprint of the budgets and settings used in the last evaluation.
  public var rules: String
  /// The open incidents, oldest first.
  public var open: [Incident]

  public init(version: Int64 = 0, digestedThrough: Int64 = -1, rules: String = "", open: [Incident] = []) {
    self.version = version
    self.digestedThrough = digestedThrough
    self.rules = rules
    self.open = open
  }
}

/// The store of incidents, alert state and messages that wait for delivery. A message is stored in the transaction of
/// the changes that it reports, so that a crash loses none. Each channel receives it at least once.
public protocol IncidentStore: Sendable {
  /// The alert state of an app, or of the whole installation (`Incident.folder`).
  func alertState(of app: AppID) throws -> AlertState
  /// Stores the opened and changed incidents, the messages about them, and `state`, in one durable transaction. Returns
  /// false and stores nothing if the stored version is no longer `state.version`, because another process has stored a
  /// decision in the meantime.
  func decide(_ incidents: [Incident], _ messages: [AlertMessage], _ state: AlertState, of app: AppID) throws -> Bool
  /// Open incidents and those closed after an instant, newest first; of all apps if `app` is nil.
  func incidents(of app: AppID?, closedAfter: Timestamp) throws -> [Incident]
  /// The number of open incidents of each app that has any, by bundle identifier.
  func openIncidentCounts() throws -> [String: Int]
  /// The incident with this id; nil when there is none.
  func incident(_ id: String) throws -> Incident?
  /// Deletes incidents closed before `closedBefore`, silences that ended before it, and messages created before
  /// `toldBefore`.
  func forgetAlerts(closedBefore: Timestamp, toldBefore: Timestamp) throws

  /// The messages with a channel on which they are neither delivered nor abandoned, oldest first.
  func pendingMessages() throws -> [AlertMessage]
  /// The delivery state of the last message about each incident: by incident, then by channel. Messages are kept for 30
  /// days.
  func lastDeliveries() throws -> [String: [String: DeliveryState]]
  /// The number of messages since `start` that a channel failed to deliver and has not delivered later, by channel.
  func undeliveredMessages(since start: Timestamp) throws -> [String: Int]
  /// Claims a message for sending on a channel. Returns false if it was already delivered there, or if another process
  /// claimed it less than a minute ago.
  func claim(_ message: String, channel: String, at now: Timestamp) throws -> Bool
  func markDelivered(_ message: String, channel: String, at now: Timestamp) throws
  /// Stores a failed attempt and releases the claim. With `isFinal` there are no further attempts.
  func markFailed(_ message: String, channel: String, reason: String, isFinal: Bool, at now: Timestamp) throws
  /// Marks a message as complete on all channels, so that it is no longer pending.
  func settle(_ message: String, at now: Timestamp) throws
}

public import Core

/// A message about one app: opened, continuing and ended incidents, ready to be rendered for any channel.
///
/// Every text in it may come from a device; formats escape it and cut it to the receiver's limits. As JSON it waits in
/// `control.db` until it is delivered, so that the names of its parts must not change.
public struct AlertMessage: Sendable, Equatable, Codable {
  /// What happened to an incident.
  public enum Event: String, Sendable, CaseIterable, Codable {
    /// The incident is new.
    case opened
    /// Something more broke in an incident that was reported before, or its severity rose.
    case worsened
    /// The incident is still open; it was reported before.
    case stillBroken = "still_broken"
    /// The incident is over: its budget is met again.
    case resolved
    /// The incident no longer applies: its release was superseded or its budget removed.
    case retired
    /// A summary of the last day or week, not about one incident.
    case digest
  }

  /// One incident in a message.
  public struct Item: Sendable, Equatable, Codable {
    /// The incident's stable identifier, by which receivers match its end to its beginning.
    public var incident: String
    /// What happened to the incident.
    public var event: Event
    /// One line: what broke, summed up. If it is one thing, with the value, its interval and n, and the budget.
    public var summary: String
    /// Further lines: evidence, the previous release, the adoption.
    public var facts: [Detail]
    /// The first thing to open or check; nil if there is no advice.
    public var advice: String?
    /// The absolute address of the incident's page; nil if no public URL is known.
    public var link: String?
    /// When it broke, by the data.
    public var since: Timestamp
    /// The daily values for a bar chart, oldest first; empty without a chart. Only summaries have one, which never wait.
    public var trend: [TrendPoint] = []

    private enum CodingKeys: String, CodingKey { case incident, event, summary, facts, advice, link, since }

    public init(
      incident: String, event: Event, summary: String, facts: [Detail] = [], advice: String? = nil,
      link: String? = nil, since: Timestamp, trend: [TrendPoint] = []
    ) {
      self.incident = incident
      self.event = event
      self.summary = summary
      self.facts = facts
      self.advice = advice
      self.link = link
      self.since = since
      self.trend = trend
    }
  }

  /// One bar of a bar chart that begins at zero.
  public struct TrendPoint: Sendable, Equatable {
    /// The label of the bar: `2026-11-20`.
    public var label: String
    /// The length of the bar, in the metric's unit; at least 0.
    public var value: Double
    /// The value as text: `1.39 s`.
    public var text: String
    /// Whether the value is outside the budget.
    public var isBroken: Bool

    public init(label: String, value: Double, text: String, isBroken: Bool) {
      self.label = label
      self.value = value
      self.text = text
      self.isBroken = isBroken
    }
  }

  /// The identifier of the message, the same for every retry, so that receivers can drop duplicates.
  public var identifier: String
  /// The event of the most severe item.
  public var event: Event
  /// The highest severity of the items. Ended incidents keep theirs, so that their end is routed like their beginning.
  public var severity: Severity
  /// The bundle identifier of the app; `AlertMessage.everyApp` for messages about all apps.
  public var app: String
  /// The release, such as `4.2.0`; nil unless all items are about one release.
  public var release: String?
  /// The environment, such as `production`; nil unless all items are about one.
  public var environment: String?
  /// The first line, understandable by itself.
  public var title: String
  /// The incidents, the most severe first.
  public var items: [Item]
  /// The absolute address of a page about all items; nil if no public URL is known.
  public var link: String?
  /// When the message was made.
  public var time: Timestamp
  /// What became of a message that waits, by channel. Stored beside the message.
  public var deliveries: [String: DeliveryState] = [:]

  private enum CodingKeys: String, CodingKey {
    case identifier, event, severity, app, release, environment, title, items, link, time
  }

  public init(
    identifier: String, event: Event, severity: Severity, app: String, release: String? = nil,
    environment: String? = nil, title: String, items: [Item], link: String? = nil, time: Timestamp
  ) {
    self.identifier = identifier
    self.event = event
    self.severity = severity
    self.app = app
    self.release = release
    self.environment = environment
    self.title = title
    self.items = items
    self.link = link
    self.time = time
  }

  /// The value of `app` in messages that concern all apps. It cannot equal a bundle identifier, which has no space.
  public static let everyApp = "all apps"
}

/// What became of an alert message on one channel.
public struct DeliveryState: Sendable, Equatable {
  public var delivered: Timestamp?
  /// The number of failed attempts to deliver the message.
  public var attempts: Int
  /// The reason why the last delivery attempt failed.
  public var failure: String?
  public var failed: Timestamp?
  /// Whether delivery failed permanently, because the receiver rejected the message.
  public var isRefused: Bool

  public init(
    delivered: Timestamp? = nil, attempts: Int = 0, failure: String? = nil, failed: Timestamp? = nil,
    isRefused: Bool = false
  ) {
    self.isRefused = isRefused
    self.delivered = delivered
    self.attempts = attempts
    self.failure = failure
    self.failed = failed
  }
}

// Times as messages give them.
extension Timestamp {
  /// The time to the minute: `2026-11-20 09:15 UTC`.
  public var utcMinute: String { "\(iso.prefix(10)) \(iso.dropFirst(11).prefix(5)) UTC" }

  /// The day alone at midnight, `2026-11-20`, which is how times are given of which only the day is known.
  public var utcDayOrMinute: String { milliseconds % 86_400_000 == 0 ? String(iso.prefix(10)) : utcMinute }
}

public import Core

/// A message about one app: opened, continuing and ended incidents, ready to be rendered for any channel.
///
/// Its texts may come from a device; output formats escape them and cut them to the receiver's limits. The message
/// waits as JSON in `control.db` until it is delivered, so the names of its members must not change.
public struct AlertMessage: Sendable, Equatable, Codable {
  /// What happened to an incident.
  public enum Event: String, Sendable, CaseIterable, Codable {
    /// The incident is new.
    case opened
    /// Another breach was added to an incident that was reported before, or its severity rose.
    case worsened
    /// The incident was reported before and is still open.
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
    /// The incident's stable identifier, by which receivers match its end with its beginning.
    public var incident: String
    /// What happened to the incident.
    public var event: Event
    /// One line that sums up what broke. If it is a single breach, the line includes the value, its interval and n, and
    /// the budget.
    public var summary: String
    /// Additional lines: evidence, the previous release, the adoption.
    public var facts: [Detail]
    /// The first thing to open or check; nil if there is no advice.
    public var advice: String?
    /// The absolute URL of the incident's page; nil if no public URL is set.
    public var link: String?
    /// The time of the breach according to the data.
    public var since: Timestamp
    /// The daily values for a bar chart, oldest first; empty without a chart. Only summaries have a chart, and they are
    /// not stored.
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

  /// One bar of a bar chart that starts at zero.
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
  /// The highest severity of the items. Ended incidents keep their severity, so that the message about the end is
  /// routed like the first one.
  public var severity: Severity
  /// The bundle identifier of the app; `AlertMessage.everyApp` for messages about all apps.
  public var app: String
  /// The release, such as `4.2.0`; nil unless all items are about one release.
  public var release: String?
  /// The environment, such as `production`; nil unless all items are about one.
  public var environment: String?
  /// The first line, which is understandable on its own.
  public var title: String
  /// The incidents, most severe first.
  public var items: [Item]
  /// The absolute URL of a page about all items; nil if no public URL is set.
  public var link: String?
  /// The time at which the message was created.
  public var time: Timestamp
  /// The delivery state of a waiting message by channel. Stored separately from the message.
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

  /// The value of `app` in messages about all apps. It cannot equal a bundle identifier, because it has a space.
  public static let everyApp = "all apps"
}

// The format of times in messages.
extension Timestamp {
  /// The time to the minute: `2026-11-20 09:15 UTC`.
  public var utcMinute: String { "\(iso.prefix(10)) \(iso.dropFirst(11).prefix(5)) UTC" }

  /// The day alone for midnight, `2026-11-20`, because midnight stands for a time of which only the day is known.
  public var utcDayOrMinute: String { milliseconds % 86_400_000 == 0 ? String(iso.prefix(10)) : utcMinute }
}

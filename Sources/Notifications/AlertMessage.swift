public import Foundation

/// A message about one app: opened, continuing and ended incidents, ready to be rendered for any channel.
///
/// Every text in it may come from a device; formats escape it and cut it to the receiver's limits.
public struct AlertMessage: Sendable, Equatable {
  /// What happened to an incident.
  public enum Event: String, Sendable, CaseIterable {
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

  /// The severity of a message, in ascending order.
  public enum Severity: String, Sendable, CaseIterable, Comparable {
    case info, warning, critical

    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
      switch self {
      case .info: 0
      case .warning: 1
      case .critical: 2
      }
    }
  }

  /// One incident in a message.
  public struct Item: Sendable, Equatable {
    /// The incident's stable identifier, by which receivers match its end to its beginning.
    public var incident: String
    /// What happened to the incident.
    public var event: Event
    /// One line: what broke, summed up. If it is one thing, with the value, its interval and n, and the budget.
    public var summary: String
    /// Further lines: evidence, the previous release, the adoption.
    public var facts: [Fact]
    /// The first thing to open or check; nil if there is no advice.
    public var advice: String?
    /// The absolute address of the incident's page; nil if no public URL is known.
    public var link: String?
    /// When it broke, by the data; midnight where only the day is known.
    public var since: Date
    /// The recent values, oldest first, for a chart in mail; empty for no chart.
    public var trend: [TrendPoint]

    public init(
      incident: String, event: Event, summary: String, facts: [Fact] = [], advice: String? = nil, link: String? = nil,
      since: Date, trend: [TrendPoint] = []
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

  /// A name and a text, which channels show as one line below the incident.
  public struct Fact: Sendable, Equatable {
    /// The name of the line, such as `Since`.
    public var name: String
    /// The text of the line, such as `2026-11-20 09:15 UTC, 3 days`.
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
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
  public var time: Date

  public init(
    identifier: String, event: Event, severity: Severity, app: String, release: String? = nil,
    environment: String? = nil, title: String, items: [Item], link: String? = nil, time: Date
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
}

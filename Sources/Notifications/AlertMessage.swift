public import Foundation

/// What is to be told about one app at one time: opened, continuing and ended incidents, ready to be rendered for any
/// channel.
///
/// Every text in it may come from a device; formats escape and cut what they take.
public struct AlertMessage: Sendable, Equatable {
  /// What happened to an incident.
  public enum Event: String, Sendable, CaseIterable {
    /// It was not open before.
    case opened
    /// It is open, and was reported before.
    case stillBroken = "still_broken"
    /// Its budget is kept again.
    case resolved
    /// It ended without being kept again: its release or its budget is gone.
    case retired
    /// Nothing happened to an incident: it sums up a time.
    case digest
  }

  /// How much attention it needs, in ascending order.
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

  /// One incident.
  public struct Item: Sendable, Equatable {
    /// A stable identifier: the key by which receivers recognise the incident again.
    public var incident: String
    /// What happened to it.
    public var event: Event
    /// One line: what, where, the value with interval and n, and the budget.
    public var summary: String
    /// Further lines: since when, the previous release, evidence.
    public var facts: [Fact]
    /// The first thing to open or check.
    public var advice: String?
    /// The absolute address of its page, when a public URL is known.
    public var link: String?
    /// When it was opened.
    public var since: Date
    /// How its value went, oldest first, for a chart in mail; empty when there is nothing to draw.
    public var trend: [TrendPoint]

    /// An incident in these words.
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

  /// A further line about an incident.
  public struct Fact: Sendable, Equatable {
    /// `Since`
    public var name: String
    /// `2026-11-20 09:15 UTC, 3 days`
    public var value: String

    /// A name and its value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// One bar of a chart that begins at zero.
  public struct TrendPoint: Sendable, Equatable {
    /// `2026-11-20`
    public var label: String
    /// The length of the bar, in the metric's unit; not below zero.
    public var value: Double
    /// The value as people read it: `1.39 s`.
    public var text: String
    /// Whether it is outside the budget.
    public var isBroken: Bool

    /// A bar of that length.
    public init(label: String, value: Double, text: String, isBroken: Bool) {
      self.label = label
      self.value = value
      self.text = text
      self.isBroken = isBroken
    }
  }

  /// Of this message: the same for every retry, so that receivers can drop a second copy.
  public var identifier: String
  /// The gravest of its items.
  public var event: Event
  /// The gravest of its items; that an incident has ended does not lower it, so that the end takes the road of the
  /// beginning.
  public var severity: Severity
  /// The bundle identifier.
  public var app: String
  /// `4.2.0`, when all of it is about one release.
  public var release: String?
  /// `production`
  public var environment: String?
  /// The first line of everything: says all that is needed.
  public var title: String
  /// The incidents it is about, gravest first.
  public var items: [Item]
  /// The absolute address of a page about all of it, when a public URL is known.
  public var link: String?
  /// When it was written.
  public var time: Date

  /// A message in these words.
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

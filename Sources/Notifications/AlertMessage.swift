public import Foundation

/// What people are told at once about one app: a channel's input, made from incidents and kept until it is delivered.
public struct AlertMessage: Sendable, Equatable {
  /// What happened to an incident.
  public enum Event: String, Sendable, CaseIterable {
    case opened
    case stillBroken = "still_broken"
    case resolved
    case retired
  }

  /// How much it matters, in order.
  public enum Severity: String, Sendable, CaseIterable, Comparable {
    case info
    case warning
    case critical

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

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
    /// Stable identifier, the deduplication key at receivers.
    public var incident: String
    public var event: Event
    /// One line: what, where, value with interval and n, budget.
    public var summary: String
    /// Further lines: since when, previous release, evidence.
    public var facts: [Fact]
    /// The first thing to open or check.
    public var advice: String?
    /// Absolute URL of the page, when a public URL is known.
    public var link: String?
    public var since: Date

    public init(
      incident: String, event: Event, summary: String, facts: [Fact], advice: String?, link: String?, since: Date
    ) {
      self.incident = incident
      self.event = event
      self.summary = summary
      self.facts = facts
      self.advice = advice
      self.link = link
      self.since = since
    }
  }

  /// A further line about an incident.
  public struct Fact: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Of this message: the idempotency key for retries.
  public var identifier: String
  /// The gravest of its items.
  public var event: Event
  public var severity: Severity
  /// Bundle identifier.
  public var app: String
  public var release: String?
  public var environment: String?
  /// The first line of everything: says all that is needed.
  public var title: String
  public var items: [Item]
  public var link: String?
  public var time: Date

  public init(
    identifier: String, event: Event, severity: Severity, app: String, release: String?, environment: String?,
    title: String, items: [Item], link: String?, time: Date
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

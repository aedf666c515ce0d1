public import Telemetry

/// A problem, from the time it was certain until it is certainly over. Only incidents cause messages.
public struct Incident: Sendable, Hashable, Identifiable {
  /// A stable id of this occurrence. A problem that recurs after it was resolved is another incident.
  public var id: String
  /// The app; `Incident.folder` for a problem that concerns all apps.
  public var app: AppID
  public var key: IncidentKey
  public var state: State
  public var severity: Severity
  /// The result of the last evaluation of the incident.
  public var condition: Condition
  public var opened: Timestamp
  public var closed: Timestamp?
  /// The reason why the incident was closed, as a sentence.
  public var closedBecause: String?
  /// The time of the incident's last message; nil if a silence suppressed it.
  public var announced: Timestamp?
  public var evaluated: Timestamp
  /// The number of events on which the last evaluation was based.
  public var lastCount: Int
  /// The time since which the values look better, although an end of the incident is not proven.
  public var recoveringSince: Timestamp?
  /// The number of events since `recoveringSince`.
  public var recoveredCount: Int
  public var evidence: Evidence

  public init(
    id: String, app: AppID, key: IncidentKey, state: State = .open, severity: Severity,
    condition: Condition = .broken, opened: Timestamp, closed: Timestamp? = nil, closedBecause: String? = nil,
    announced: Timestamp? = nil, evaluated: Timestamp, lastCount: Int = 0, recoveringSince: Timestamp? = nil,
    recoveredCount: Int = 0, evidence: Evidence
  ) {
    self.id = id
    self.app = app
    self.key = key
    self.state = state
    self.severity = severity
    self.condition = condition
    self.opened = opened
    self.closed = closed
    self.closedBecause = closedBecause
    self.announced = announced
    self.evaluated = evaluated
    self.lastCount = lastCount
    self.recoveringSince = recoveringSince
    self.recoveredCount = recoveredCount
    self.evidence = evidence
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

  public enum Severity: String, Sendable, CaseIterable {
    case info
    case warning
    case critical
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

  /// The text that messages and pages show about an incident.
  public struct Evidence: Sendable, Hashable {
    /// The facts in one line: metric, release, value with interval and n, budget.
    public var summary: String
    public var facts: [Fact]
    /// Advice to the team on what to check first.
    public var advice: String?

    public init(summary: String, facts: [Fact] = [], advice: String? = nil) {
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

/// The identity of a problem: rule, subject and slice. At most one incident with a given key is open.
public struct IncidentKey: Sendable, Hashable {
  public var rule: Rule
  /// The budget as written in its file, the metric, or the group; empty for rules without a subject.
  public var subject: String
  /// The affected part of the app; nil for the whole app in all environments.
  public var slice: Slice?

  public init(_ rule: Rule, _ subject: String = "", slice: Slice? = nil) {
    self.rule = rule
    self.subject = subject
    self.slice = slice
  }

  /// The alert rules. A new rule is a new case here, with its findings in `Alerts`.
  public enum Rule: String, Sendable, CaseIterable {
    /// A budget is broken.
    case budget
    /// The warning level of a budget is exceeded.
    case warning
    /// A budget that requires data does not have enough.
    case missing
    /// Crashes use up the error budget too fast.
    case burn
    /// A release is worse than its predecessor.
    case regression
    /// A group of crashes or hangs is new in a release.
    case newGroup = "new_group"
    /// A group of crashes or hangs affects far more sessions than before.
    case groupSpike = "group_spike"
    /// Payloads no longer arrive.
    case stale
    /// Payloads are received, but not aggregated.
    case digest
    /// Records that ended the process were set aside.
    case quarantine
    /// An app could not be evaluated.
    case evaluation
    /// The disk has little or no room left.
    case space
  }
}

extension IncidentKey {
  /// The metric of the incident: `launch.first_draw` for the budget `p90 launch.first_draw <= 2 s`; nil for rules
  /// without one.
  public var metric: String? {
    switch rule {
    case .burn: return "sessions.crash_free"
    case .regression: return subject
    case .newGroup, .groupSpike, .stale, .digest, .quarantine, .evaluation, .space: return nil
    case .budget, .warning, .missing:
      let words = subject.split(separator: " ").prefix(2)
      let isStatistic = words.first.map { $0 == "mean" || Int($0.dropFirst()) != nil && $0.first == "p" } ?? false
      return (isStatistic ? words.last : words.first).map(String.init)
    }
  }

  /// The fingerprint of the incident's group as text; nil for rules that are not about groups.
  public var group: String? {
    switch rule {
    case .newGroup, .groupSpike: subject.split(separator: " ").first.map(String.init)
    case .budget, .warning, .missing, .burn, .regression, .stale, .digest, .quarantine, .evaluation, .space:
      nil
    }
  }
}

public import Telemetry

/// Something that is broken, from the moment it was certain until it is certain that it is over. Only incidents notify.
public struct Incident: Sendable, Hashable, Identifiable {
  /// Stable, and of this occurrence alone: what was resolved and breaks again is another incident.
  public var id: String
  /// `Incident.folder` for what concerns all apps.
  public var app: AppID
  public var key: IncidentKey
  public var state: State
  public var severity: Severity
  /// The result of the last evaluation.
  public var condition: Condition
  public var opened: Timestamp
  public var closed: Timestamp?
  /// Why it is no longer open, as a sentence.
  public var closedBecause: String?
  /// When it was last announced; nil while it was not, because it is silenced.
  public var announced: Timestamp?
  public var evaluated: Timestamp
  /// Events behind the last evaluation.
  public var lastCount: Int
  /// Since when it looks better, without being proven.
  public var recoveringSince: Timestamp?
  /// Events that came since then.
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

  /// The number used where all apps are concerned. No app has it.
  public static let folder: AppID = 0

  public enum State: String, Sendable, CaseIterable {
    case open
    /// Proven to be over.
    case resolved
    /// It is no longer evaluated: the release is superseded, the budget was removed.
    case retired
  }

  public enum Severity: String, Sendable, CaseIterable {
    case info
    case warning
    case critical
  }

  /// The result of an evaluation.
  public enum Condition: String, Sendable, CaseIterable {
    /// Certain at 99.9 %.
    case broken
    /// Neither broken for certain nor better.
    case unclear
    /// Meets the requirement, and is not broken at 95 %.
    case recovering
    /// Proven to be all right.
    case within
  }

  /// What people read about it.
  public struct Evidence: Sendable, Hashable {
    /// One line: what, where, value with interval and n, budget.
    public var summary: String
    public var facts: [Fact]
    /// The first thing to check.
    public var advice: String?

    public init(summary: String, facts: [Fact] = [], advice: String? = nil) {
      self.summary = summary
      self.facts = facts
      self.advice = advice
    }
  }

  /// A further line: `previous release`, `4.1.0: 99.62 %`.
  public struct Fact: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}

/// What an incident is about. At most one incident of a key is open.
public struct IncidentKey: Sendable, Hashable {
  public var rule: Rule
  /// The budget as it is written, or the metric; empty where the rule has no subject.
  public var subject: String
  /// Nil where the whole app is concerned, whatever its environment.
  public var slice: Slice?

  public init(_ rule: Rule, _ subject: String = "", slice: Slice? = nil) {
    self.rule = rule
    self.subject = subject
    self.slice = slice
  }

  /// Kinds of reasons to open an incident. A new kind is a new case here, and findings of it in `Alerts`.
  public enum Rule: String, Sendable, CaseIterable {
    /// A budget is broken.
    case budget
    /// The warning level of a budget is.
    case warning
    /// A budget requires data, and has not enough.
    case missing
    /// Crashes use up the error budget too fast.
    case burn
    /// A release is worse than the one before.
    case regression
    /// A cause of crashes or hangs is new in a release.
    case newGroup = "new_group"
    /// A cause of crashes or hangs concerns far more sessions than before.
    case groupSpike = "group_spike"
    /// Payloads stopped coming.
    case stale
    /// Payloads are received and not counted.
    case digest
    /// Records ended the process and were set aside.
    case quarantine
    /// An app cannot be judged at all.
    case evaluation
  }
}

extension IncidentKey {
  /// `launch.first_draw` of `p90 launch.first_draw <= 2 s`; nil where the subject names none.
  public var metric: String? {
    switch rule {
    case .burn: return "sessions.crash_free"
    case .regression: return subject
    case .newGroup, .groupSpike, .stale, .digest, .quarantine, .evaluation: return nil
    case .budget, .warning, .missing:
      let words = subject.split(separator: " ").prefix(2)
      let isStatistic = words.first.map { $0 == "mean" || Int($0.dropFirst()) != nil && $0.first == "p" } ?? false
      return (isStatistic ? words.last : words.first).map(String.init)
    }
  }

  /// The group of diagnostics it is about; nil where it is about none.
  public var group: String? {
    switch rule {
    case .newGroup, .groupSpike: subject.split(separator: " ").first.map(String.init)
    case .budget, .warning, .missing, .burn, .regression, .stale, .digest, .quarantine, .evaluation: nil
    }
  }
}

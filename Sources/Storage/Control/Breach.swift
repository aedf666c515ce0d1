public import Core

/// One problem within an incident, such as a broken budget or a new crash group, from the time it is certain until it
/// is certainly over.
public struct Breach: Sendable, Hashable {
  public var key: BreachKey
  public var state: Incident.State
  public var severity: Severity
  /// The result of the last evaluation.
  public var condition: Incident.Condition
  /// The time of the breach according to the data: midnight if only the day is known.
  public var since: Timestamp
  /// The time at which it was detected.
  public var opened: Timestamp
  /// The time of the last message about it; nil if a silence suppressed all messages.
  public var announced: Timestamp?
  public var closed: Timestamp?
  /// The reason for closing it, as a sentence.
  public var closedBecause: String?
  /// The number of events on which the last evaluation was based.
  public var lastCount: Int
  /// The time since which the values look better, although the end is not proven.
  public var recoveringSince: Timestamp?
  /// The number of events since `recoveringSince`.
  public var recoveredCount: Int
  public var evidence: Evidence

  public init(
    key: BreachKey, state: Incident.State = .open, severity: Severity,
    condition: Incident.Condition = .broken, since: Timestamp, opened: Timestamp, announced: Timestamp? = nil,
    closed: Timestamp? = nil, closedBecause: String? = nil, lastCount: Int = 0, recoveringSince: Timestamp? = nil,
    recoveredCount: Int = 0, evidence: Evidence
  ) {
    self.key = key
    self.state = state
    self.severity = severity
    self.condition = condition
    self.since = since
    self.opened = opened
    self.announced = announced
    self.closed = closed
    self.closedBecause = closedBecause
    self.lastCount = lastCount
    self.recoveringSince = recoveringSince
    self.recoveredCount = recoveredCount
    self.evidence = evidence
  }

  /// Whether it is about crashes: a crash group, the crash-free rates, or their error budget.
  public var isOfCrashes: Bool {
    switch key.rule {
    // Hang groups are warnings.
    case .newGroup, .groupSpike: severity == .critical
    case .burn: true
    case .budget, .warning, .missing, .regression:
      key.metric.map { $0.hasPrefix("sessions.") || $0.hasPrefix("users.") } ?? false
    case .rollout, .stale, .digest, .quarantine, .evaluation, .space: false
    }
  }

  /// The rank in lists, lowest first: crashes before everything else, their cause before their rate.
  var rank: Int {
    let rules: [BreachKey.Rule] = [
      .evaluation, .stale, .newGroup, .groupSpike, .budget, .burn, .rollout, .regression, .warning, .missing,
    ]
    let rule = rules.firstIndex(of: key.rule) ?? rules.count
    return isOfCrashes && key.rule != .missing ? rule : rule + rules.count
  }
}

// The JSON of incidents and messages in `control.db`. Older versions wrote it, and newer ones must read it.

extension Breach: Codable {
  private enum CodingKeys: String, CodingKey {
    case key, state, severity, condition, since, opened, announced, closed, closedBecause, lastCount, recoveringSince
    case recoveredCount
  }

  public init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      key: try stored.decode(BreachKey.self, forKey: .key),
      state: try stored.decode(Incident.State.self, forKey: .state),
      severity: try stored.decode(Severity.self, forKey: .severity),
      condition: try stored.decode(Incident.Condition.self, forKey: .condition),
      since: try stored.decode(Timestamp.self, forKey: .since),
      opened: try stored.decode(Timestamp.self, forKey: .opened),
      announced: try stored.decodeIfPresent(Timestamp.self, forKey: .announced),
      closed: try stored.decodeIfPresent(Timestamp.self, forKey: .closed),
      closedBecause: try stored.decodeIfPresent(String.self, forKey: .closedBecause),
      lastCount: try stored.decode(Int.self, forKey: .lastCount),
      recoveringSince: try stored.decodeIfPresent(Timestamp.self, forKey: .recoveringSince),
      recoveredCount: try stored.decode(Int.self, forKey: .recoveredCount), evidence: try Evidence(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    var stored = encoder.container(keyedBy: CodingKeys.self)
    try stored.encode(key, forKey: .key)
    try stored.encode(state, forKey: .state)
    try stored.encode(severity, forKey: .severity)
    try stored.encode(condition, forKey: .condition)
    try stored.encode(since, forKey: .since)
    try stored.encode(opened, forKey: .opened)
    try stored.encodeIfPresent(announced, forKey: .announced)
    try stored.encodeIfPresent(closed, forKey: .closed)
    try stored.encodeIfPresent(closedBecause, forKey: .closedBecause)
    try stored.encode(lastCount, forKey: .lastCount)
    try stored.encodeIfPresent(recoveringSince, forKey: .recoveringSince)
    try stored.encode(recoveredCount, forKey: .recoveredCount)
    // The evidence's members are members of the breach's object.
    try evidence.encode(to: encoder)
  }
}

/// A list: the theme, the environment, the release.
extension IncidentKey: Codable {
  public init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    self.init(
      try parts.decode(Theme.self), environment: try parts.decode(String?.self),
      release: try parts.decode(String?.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var parts = encoder.unkeyedContainer()
    try parts.encode(theme)
    try parts.encode(environment)
    try parts.encode(release)
  }
}

/// Milliseconds, so that encoding and decoding are exact.
extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(milliseconds)
  }
}

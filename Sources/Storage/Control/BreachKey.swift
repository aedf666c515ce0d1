import Core

/// The identity of a breach: rule, subject and slice. An app has at most one open breach with a given key.
public struct BreachKey: Sendable, Hashable {
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

  /// The alert rules. A new rule is a new case here; `Alerts` has its findings.
  public enum Rule: String, Sendable, CaseIterable, Codable {
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
    /// The rollout of a release should halt.
    case rollout
    /// A group of crashes or hangs is new in a release.
    case newGroup = "new_group"
    /// A group of crashes or hangs affects far more sessions than before.
    case groupSpike = "group_spike"
    /// Payloads no longer arrive.
    case stale
    /// Payloads are received, but not aggregated.
    case digest
    /// Records that ended the process were quarantined.
    case quarantine
    /// An app could not be evaluated.
    case evaluation
    /// Disk space is low or used up.
    case space
  }
}

extension BreachKey {
  /// The metric of the incident: `launch.first_draw` for the budget `p90 launch.first_draw <= 2 s`; nil for rules
  /// without one.
  public var metric: String? {
    switch rule {
    case .burn: return "sessions.crash_free"
    case .regression: return subject
    case .rollout, .newGroup, .groupSpike, .stale, .digest, .quarantine, .evaluation, .space: return nil
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
    case .budget, .warning, .missing, .burn, .regression, .rollout, .stale, .digest, .quarantine, .evaluation, .space:
      nil
    }
  }
}

extension BreachKey {
  /// The key of the incident that contains a breach with this key.
  public var incident: IncidentKey {
    switch rule {
    case .stale, .missing: IncidentKey(.data)
    case .evaluation: IncidentKey(.evaluation)
    case .digest: IncidentKey(.digest)
    case .quarantine: IncidentKey(.quarantine)
    case .space: IncidentKey(.space)
    case .budget, .warning, .burn, .regression, .rollout, .newGroup, .groupSpike:
      IncidentKey(version == nil ? .app : .release, environment: slice?.environment, release: version)
    }
  }

  /// The affected version, without a build; nil for the whole app.
  public var version: String? {
    switch rule {
    case .newGroup, .groupSpike:
      return subject.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init)
    case .budget, .warning, .missing, .burn, .regression, .rollout, .stale, .digest, .quarantine, .evaluation, .space:
      guard let title = slice?.release else { return nil }
      guard title.hasSuffix(")"), let build = title.firstRange(of: " (") else { return title }
      return String(title[..<build.lowerBound])
    }
  }
}

/// A list: the rule, the subject, the parts of the slice if there is one, and the attribute if the slice has one.
extension BreachKey: Codable {
  public init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    self.init(try parts.decode(Rule.self), try parts.decode(String.self))
    guard !parts.isAtEnd else { return }
    let environment = try parts.decode(String.self)
    var names: [String?] = []
    for _ in 0..<5 { names.append(try parts.decode(String?.self)) }
    let attribute = try parts.isAtEnd ? nil : AttributeFilter(parts.decode(String.self))
    slice = Slice(
      environment: environment, release: names[0], os: names[1], device: names[2], deviceClass: names[3],
      label: names[4], attribute: attribute)
  }

  public func encode(to encoder: any Encoder) throws {
    var parts = encoder.unkeyedContainer()
    try parts.encode(rule)
    try parts.encode(subject)
    guard let slice else { return }
    try parts.encode(slice.environment)
    for name in [slice.release, slice.os, slice.device, slice.deviceClass, slice.label] { try parts.encode(name) }
    if let attribute = slice.attribute { try parts.encode(attribute.text) }
  }
}

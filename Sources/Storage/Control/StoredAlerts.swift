public import Core

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
    // Its members stand beside those of the breach.
    try evidence.encode(to: encoder)
  }
}

/// A list: the rule, the subject, and the parts of the slice if there is one; its attribute only where it has one.
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

/// A list of name and value.
extension Detail: Codable {
  public init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    self.init(try parts.decode(String.self), try parts.decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var parts = encoder.unkeyedContainer()
    try parts.encode(name)
    try parts.encode(value)
  }
}

/// Milliseconds, which encoding and decoding do not change.
extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(milliseconds)
  }
}

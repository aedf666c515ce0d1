public import Storage

/// The result of one rule for one subject, from the data there is now.
public struct Finding: Sendable, Hashable {
  public var key: IncidentKey
  public var severity: Incident.Severity
  public var condition: Incident.Condition
  /// The number of events it is based on: sessions, launches, payloads.
  public var count: Int
  /// New events needed to end an incident that looks better but is not proven to be over.
  public var enough: Int
  /// Milliseconds for which it must look better before it ends.
  public var patience: Int64
  public var evidence: Incident.Evidence

  public init(
    key: IncidentKey, severity: Incident.Severity, condition: Incident.Condition, count: Int = 0, enough: Int = 0,
    patience: Int64 = Finding.day, evidence: Incident.Evidence
  ) {
    self.key = key
    self.severity = severity
    self.condition = condition
    self.count = count
    self.enough = enough
    self.patience = patience
    self.evidence = evidence
  }

  public static let hour: Int64 = 3_600_000
  public static let day: Int64 = 24 * hour
}

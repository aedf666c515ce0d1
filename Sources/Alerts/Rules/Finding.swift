public import Storage
public import Telemetry

/// The result of one rule for one subject, such as a budget on a release.
public struct Finding: Sendable, Hashable {
  public var key: BreachKey
  public var severity: Incident.Severity
  public var condition: Incident.Condition
  /// The number of events that the finding is based on, such as sessions, launches or payloads.
  public var count: Int
  /// The number of new events needed to close an incident that looks better but is not proven to be over.
  public var enough: Int
  /// The time for which the finding must look better before its incident is closed, in milliseconds.
  public var patience: Int64
  /// The time for which it must be proven to be over before its incident is closed, in milliseconds: numbers of one burst
  /// close nothing.
  public var settling: Int64
  /// When it broke, by the data; nil if that is not known, or as long as nothing is broken.
  public var since: Timestamp?
  public var evidence: Incident.Evidence

  public init(
    key: BreachKey, severity: Incident.Severity, condition: Incident.Condition, count: Int = 0, enough: Int = 0,
    patience: Int64 = Finding.day, settling: Int64 = 0, since: Timestamp? = nil, evidence: Incident.Evidence
  ) {
    self.key = key
    self.severity = severity
    self.condition = condition
    self.count = count
    self.enough = enough
    self.patience = patience
    self.settling = settling
    self.since = since
    self.evidence = evidence
  }

  public static let hour: Int64 = 3_600_000
  public static let day: Int64 = 24 * hour
  /// The usual `settling` of what is judged from payloads.
  public static let lasting: Int64 = 6 * hour
}

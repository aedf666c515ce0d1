import Core
import Storage

/// The result of one rule for one subject, such as a budget of a release.
public struct Finding: Sendable, Hashable {
  var key: BreachKey
  var severity: Severity
  var condition: Incident.Condition
  /// The number of events that the finding is based on, such as sessions, launches or payloads.
  var count: Int = 0
  /// The number of new events needed to close a breach that looks better but is not confirmed to be over.
  var enough: Int = 0
  /// How long the finding must look better before its breach closes, in milliseconds.
  var patience: Int64 = Finding.day
  /// How long the finding must be confirmed to be over before its breach closes, in milliseconds. Data of a single
  /// burst must not close it.
  var settling: Int64 = 0
  /// When it broke according to the data; nil if unknown or if nothing is broken.
  var since: Timestamp?
  var evidence: Evidence

  static let hour: Int64 = 3_600_000
  public static let day: Int64 = 24 * hour
  /// The usual `settling` of rules about metrics.
  static let lasting: Int64 = 6 * hour
}

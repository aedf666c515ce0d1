/// The retention periods of each kind of data, in days after it was last received.
public struct Retention: Sendable, Equatable {
  /// Rows for any combination of filters, and hourly rows.
  public var fine = 35
  /// Daily rows for single filters, and counts of payloads.
  public var daily = 400
  /// States of sessions. Within this time, an update of a session replaces the previous one.
  public var sessions = 14
  /// Sessions by the age of the installation's update, and the release of an installation after its last session.
  public var ages = 90
  /// The maximum number of session states per app. States without an update for the longest time are evicted first.
  public var mostSessions = 20_000_000
  /// Diagnostics with their groups.
  public var diagnostics = 400
  /// Bodies and call stacks of diagnostics.
  public var samples = 400
  /// Digested records.
  public var journal = 3

  public init() {}

  /// The kinds with the key of their setting and the minimum and maximum number of days.
  public static let kinds: [(key: String, days: WritableKeyPath<Retention, Int> & Sendable, bounds: ClosedRange<Int>)] =
    [
      ("keep-fine", \.fine, 7...400), ("keep-daily", \.daily, 35...3650), ("keep-sessions", \.sessions, 2...60),
      ("keep-diagnostics", \.diagnostics, 8...3650), ("keep-samples", \.samples, 1...3650),
      ("keep-journal", \.journal, 1...90),
    ]
}

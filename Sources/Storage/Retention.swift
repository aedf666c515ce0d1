/// How long each kind of data is kept, in days after it was last received.
public struct Retention: Sendable, Equatable {
  /// Rows for any combination of filters, and rows of hours.
  public var fine = 35
  /// Rows by the day for single filters, and counts of payloads.
  public var daily = 400
  /// States of sessions: within this time, an update of a session replaces the one before.
  public var sessions = 14
  /// The most of them of an app. Those without an update for the longest time are deleted first.
  public var mostSessions = 20_000_000
  /// Diagnostics with their groups.
  public var diagnostics = 400
  /// Bodies and call stacks of diagnostics.
  public var samples = 400
  /// Records that were counted.
  public var journal = 3

  public init() {}

  /// The kinds with the key of their setting, the least and the most days.
  public static let kinds: [(key: String, days: WritableKeyPath<Retention, Int> & Sendable, bounds: ClosedRange<Int>)] =
    [
      ("keep-fine", \.fine, 7...400), ("keep-daily", \.daily, 35...3650), ("keep-sessions", \.sessions, 2...60),
      ("keep-diagnostics", \.diagnostics, 8...3650), ("keep-samples", \.samples, 1...3650),
      ("keep-journal", \.journal, 1...90),
    ]
}

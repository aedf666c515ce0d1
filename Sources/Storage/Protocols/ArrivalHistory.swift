public import Statistics

/// Counts of sessions by the time at which they became known. A crash is reported at the next launch, so a current
/// crash appears in arrivals earlier than in sessions by their start.
public protocol ArrivalHistory: Sendable {
  /// The arrivals from a time on, oldest first. They are kept for three days.
  func arrivals(_ query: ArrivalQuery) throws -> [Arrival]

  /// How long after the beginning of their day the events of an environment became known. Kept for 42 days.
  func delays(of app: AppID, environment: String, in window: Window) throws -> [DelayedCount]
}

/// A selection of arrivals by app, environment, release and time.
public struct ArrivalQuery: Sendable {
  public var app: AppID
  public var environment: String
  /// A version (`4.2.0`, all its builds) or a version and build (`4.2.0 (1234)`); nil for all.
  public var release: String?
  /// The first five-minute interval, in minutes since 1970-01-01T00:00Z.
  public var from: Int

  public init(app: AppID, environment: String, release: String? = nil, from: Int) {
    self.app = app
    self.environment = environment
    self.release = release
    self.from = from
  }
}

/// The sessions of one build that became known in an interval of five minutes.
public struct Arrival: Sendable, Equatable {
  /// The start of the five-minute interval, in minutes since 1970-01-01T00:00Z.
  public var start: Int
  /// The number of sessions whose first update arrived in the interval.
  public var seen: Int64
  /// The number of sessions that became known as crashed, regardless of when their first update arrived.
  public var crashed: Int64
  /// The known users of the crashed sessions.
  public var users: UserSet

  public init(start: Int, seen: Int64, crashed: Int64, users: UserSet) {
    self.start = start
    self.seen = seen
    self.crashed = crashed
    self.users = users
  }
}

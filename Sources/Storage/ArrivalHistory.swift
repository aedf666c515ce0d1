public import Statistics

/// Sessions by the moment they became known. A crash is reported by the launch after it, so current crashes show in
/// arrivals, not in the starts of sessions.
public protocol ArrivalHistory: Sendable {
  /// What arrived from a moment on, in order; three days are kept.
  func arrivals(_ query: ArrivalQuery) throws -> [Arrival]
}

/// Which arrivals are wanted.
public struct ArrivalQuery: Sendable {
  public var app: AppID
  public var environment: String
  /// A version (`4.2.0`, all its builds) or a version and build (`4.2.0 (1234)`); nil for all.
  public var release: String?
  /// The first stretch of five minutes, in minutes since 1970-01-01T00:00Z.
  public var from: Int

  public init(app: AppID, environment: String, release: String? = nil, from: Int) {
    self.app = app
    self.environment = environment
    self.release = release
    self.from = from
  }
}

/// What became known of one build in a stretch of five minutes.
public struct Arrival: Sendable, Equatable {
  /// Minutes since 1970-01-01T00:00Z.
  public var start: Int
  /// Sessions with their first update.
  public var seen: Int64
  /// Sessions that became known as crashed, whenever their first update came.
  public var crashed: Int64
  /// The known users of these crashed sessions.
  public var users: UserSet

  public init(start: Int, seen: Int64, crashed: Int64, users: UserSet) {
    self.start = start
    self.seen = seen
    self.crashed = crashed
    self.users = users
  }
}

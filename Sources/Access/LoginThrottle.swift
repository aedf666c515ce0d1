internal import Synchronization
public import Telemetry

/// Limits how often passwords may be tried: five times in a row for a name, then once a minute; for all names together
/// thirty times, then once in two seconds.
///
/// The limit holds for right passwords too, or trying would tell. It also lets a stranger delay the login of a user whose
/// name they know, by a minute at most while they keep trying.
public final class LoginThrottle: Sendable {
  /// What to do with an attempt.
  public enum Answer: Equatable, Sendable {
    case allowed
    /// Answer 429 with this `Retry-After`.
    case wait(seconds: Int)
  }

  private struct State {
    var names: [String: Bucket] = [:]
    var overall = Bucket(overallLimit, at: Timestamp(milliseconds: 0))
  }

  private static let nameLimit = BucketLimit(capacity: 5, millisecondsPerAttempt: 60_000)
  private static let overallLimit = BucketLimit(capacity: 30, millisecondsPerAttempt: 2000)

  private let state = Mutex(State())

  /// A throttle that has seen no attempts.
  public init() {}

  /// Counts an attempt for `user` and says whether it may be made.
  public func attempt(user: String, at now: Timestamp) -> Answer {
    let name = String(user.lowercased().prefix(64))
    return state.withLock { state in
      state.overall.refill(Self.overallLimit, at: now)
      // Full buckets say nothing. The overall limit keeps the others few: at most 180 within the time one takes to fill.
      state.names = state.names.filter { !$0.value.isFull(Self.nameLimit, at: now) }
      var own = state.names[name] ?? Bucket(Self.nameLimit, at: now)
      own.refill(Self.nameLimit, at: now)
      state.names[name] = own
      if let seconds = state.overall.wait(Self.overallLimit) { return .wait(seconds: seconds) }
      if let seconds = own.wait(Self.nameLimit) { return .wait(seconds: seconds) }
      state.overall.take(Self.overallLimit)
      state.names[name]?.take(Self.nameLimit)
      return .allowed
    }
  }

  /// Forgets the failed attempts of a user who has logged in.
  public func succeeded(user: String) {
    let name = String(user.lowercased().prefix(64))
    state.withLock { state in
      state.names[name] = nil
      state.overall.giveBack(Self.overallLimit)
    }
  }
}

/// How many attempts a bucket holds and how fast it fills.
struct BucketLimit: Sendable {
  let capacity: Int64
  let millisecondsPerAttempt: Int64

  /// What a full bucket holds, in milliseconds of waiting.
  var full: Int64 { capacity * millisecondsPerAttempt }
}

/// A token bucket. It counts milliseconds in whole numbers, so that a wait is exact.
struct Bucket: Sendable {
  private var credit: Int64
  private var filled: Timestamp

  /// A full one.
  init(_ limit: BucketLimit, at now: Timestamp) {
    credit = limit.full
    filled = now
  }

  /// Adds the time since the last call. A clock that was set back adds nothing.
  mutating func refill(_ limit: BucketLimit, at now: Timestamp) {
    let (passed, overflow) = now.milliseconds.subtractingReportingOverflow(filled.milliseconds)
    if now > filled { credit = overflow || passed >= limit.full ? limit.full : min(limit.full, credit + passed) }
    filled = now
  }

  mutating func take(_ limit: BucketLimit) { credit -= limit.millisecondsPerAttempt }

  mutating func giveBack(_ limit: BucketLimit) { credit = min(limit.full, credit + limit.millisecondsPerAttempt) }

  func isFull(_ limit: BucketLimit, at now: Timestamp) -> Bool {
    var copy = self
    copy.refill(limit, at: now)
    return copy.credit == limit.full
  }

  /// Whole seconds until an attempt may be made; nil when it may be made now.
  func wait(_ limit: BucketLimit) -> Int? {
    let missing = limit.millisecondsPerAttempt - credit
    return missing > 0 ? Int((missing + 999) / 1000) : nil
  }
}

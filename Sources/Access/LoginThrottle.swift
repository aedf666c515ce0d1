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
    var overall = Bucket(tokens: overallLimit.capacity, filled: .init(milliseconds: .min))
  }

  private static let nameLimit = BucketLimit(capacity: 5, secondsPerToken: 60)
  private static let overallLimit = BucketLimit(capacity: 30, secondsPerToken: 2)

  private let state = Mutex(State())

  /// A throttle that has seen no attempts.
  public init() {}

  /// Counts an attempt for `user` and says whether it may be made.
  public func attempt(user: String, at now: Timestamp) -> Answer {
    let name = String(user.lowercased().prefix(64))
    return state.withLock { state in
      state.overall.refill(Self.overallLimit, at: now)
      // Full buckets say nothing. The overall limit keeps the others few: at most 180 within the time one takes to fill.
      state.names = state.names.filter { !$0.value.refilled(Self.nameLimit, at: now).isFull(Self.nameLimit) }
      var own = state.names[name] ?? Bucket(tokens: Self.nameLimit.capacity, filled: now)
      own.refill(Self.nameLimit, at: now)
      guard state.overall.tokens >= 1 else { return .wait(seconds: state.overall.wait(Self.overallLimit)) }
      guard own.tokens >= 1 else { return .wait(seconds: own.wait(Self.nameLimit)) }
      own.tokens -= 1
      state.overall.tokens -= 1
      state.names[name] = own
      return .allowed
    }
  }

  /// Forgets the failed attempts of a user who has logged in.
  public func succeeded(user: String) {
    let name = String(user.lowercased().prefix(64))
    state.withLock { state in
      state.names[name] = nil
      state.overall.tokens = min(Self.overallLimit.capacity, state.overall.tokens + 1)
    }
  }
}

/// How much a bucket holds and how fast it fills.
struct BucketLimit: Sendable {
  let capacity: Double
  let secondsPerToken: Double
}

/// A token bucket.
struct Bucket: Sendable {
  var tokens: Double
  var filled: Timestamp

  /// Adds what has come since the last time. A clock that was set back adds nothing.
  mutating func refill(_ limit: BucketLimit, at now: Timestamp) {
    let seconds = max(0, Double(now.milliseconds) - Double(filled.milliseconds)) / 1000
    tokens = min(limit.capacity, tokens + seconds / limit.secondsPerToken)
    filled = now
  }

  func refilled(_ limit: BucketLimit, at now: Timestamp) -> Bucket {
    var copy = self
    copy.refill(limit, at: now)
    return copy
  }

  func isFull(_ limit: BucketLimit) -> Bool { tokens >= limit.capacity }

  /// Whole seconds until it holds a token.
  func wait(_ limit: BucketLimit) -> Int { Int(max(1, ((1 - tokens) * limit.secondsPerToken).rounded(.up))) }
}

import Core
internal import Synchronization

/// Limits how often passwords may be tried, so that guessing takes too long and legitimate users are not locked out.
///
/// Whether a name exists decides nothing here: a limit that only unknown names have would tell them from users' names.
///
/// Limits of a name bound guesses. They hold for right passwords, too: otherwise the answer would reveal a right guess.
///
/// - **A device that logged in before** (`DeviceCookie`) has a bucket of its own for its name: five attempts in a row,
///   then one a minute. Other clients cannot use it up (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
/// - **A name from an address**: five, then one a minute. So a guesser at one address gets 65 attempts in the first
///   hour.
/// - **A name from anywhere without such a device**: thirty, then one in ten seconds, so that a thousand
///   addresses together get 390 in the first hour. An attacker with that many can delay a user on a *new* device whose
///   name they know, but not on a device that logged in before.
///
/// Limits of an address (five, then one in two seconds) and of all (two hundred, then five a second) bound the work: to
/// hash a password takes a tenth of a second, and an unknown name has to take as long. Beyond them an attempt is `crowded`:
/// the right password still opens a session, so that a flood of random names locks no user out. There are 125 such attempts
/// a second from an address and 250 from all, which cost only memory and a lookup of the name.
public final class LoginThrottle: Sendable {
  /// One attempt to log in.
  struct Attempt: Sendable {
    /// The user name, in lower case and cut to 64 characters.
    var user: String
    /// The client's IPv4 address, or the /64 of its IPv6 address.
    var network: String
    /// The number from the client's device cookie; nil unless it has logged in under this name before.
    var device: String?

    init(user: String, network: String, device: String? = nil) {
      self.user = String(user.lowercased().prefix(64))
      self.network = network
      self.device = device
    }
  }

  /// The decision about an attempt.
  public enum Answer: Equatable, Sendable {
    case allowed
    /// Let the right password in. Refuse anything else like `wait`, after a time that does not depend on the name.
    case crowded(seconds: Int)
    /// Refuse it with status 429 and this `Retry-After`.
    case wait(seconds: Int)
  }

  private enum Key: Hashable {
    case device(user: String, String)
    case address(user: String, network: String)
    case user(String)
    case network(String)
    case everybody
    case crowd(network: String)
    case crowdOfAll
    case provider(network: String)
    case providerForAll
    case decisions(of: String)

    var limit: BucketLimit {
      switch self {
      case .device, .address: BucketLimit(capacity: 5, millisecondsPerAttempt: 60_000)
      case .user: BucketLimit(capacity: 30, millisecondsPerAttempt: 10_000)
      case .network: BucketLimit(capacity: 5, millisecondsPerAttempt: 2000)
      case .everybody: BucketLimit(capacity: 200, millisecondsPerAttempt: 200)
      case .crowd: BucketLimit(capacity: 125, millisecondsPerAttempt: 8)
      case .crowdOfAll: BucketLimit(capacity: 250, millisecondsPerAttempt: 4)
      case .provider: BucketLimit(capacity: 10, millisecondsPerAttempt: 2000)
      case .providerForAll: BucketLimit(capacity: 60, millisecondsPerAttempt: 1000)
      case .decisions: BucketLimit(capacity: 120, millisecondsPerAttempt: 1000)
      }
    }
  }

  private struct State {
    var buckets: [Key: Bucket] = [:]
    /// The number of buckets from which the full ones are removed.
    var sweep = LoginThrottle.leastSweep
  }

  private let state = Mutex(State())
  private static let leastSweep = 1000

  init() {}

  /// Counts an attempt if it is allowed or crowded; otherwise returns how long to wait.
  func attempt(_ attempt: Attempt, at now: Timestamp) -> Answer {
    state.withLock { state in
      let (names, places) = (Self.names(of: attempt), Self.places(of: attempt))
      if let seconds = Self.wait(names, &state, now) { return .wait(seconds: seconds) }
      if let seconds = Self.wait(places, &state, now) {
        let crowd = [Key.crowd(network: attempt.network), .crowdOfAll]
        guard Self.wait(crowd, &state, now) == nil else { return .wait(seconds: seconds) }
        Self.take(names + crowd, &state, now)
        return .crowded(seconds: seconds)
      }
      Self.take(names + places, &state, now)
      return .allowed
    }
  }

  /// Counts a question to a login provider, which requests without a login cause: ten from an address, then one in two seconds; sixty from
  /// all, then one a second.
  func question(from network: String, at now: Timestamp) -> Answer {
    take([.provider(network: network), .providerForAll], at: now)
  }

  /// Counts a decision of a user or token: 120 in a row, then one a second.
  func decision(of actor: String, at now: Timestamp) -> Answer { take([.decisions(of: actor)], at: now) }

  private func take(_ keys: [Key], at now: Timestamp) -> Answer {
    state.withLock { state in
      if let seconds = Self.wait(keys, &state, now) { return .wait(seconds: seconds) }
      Self.take(keys, &state, now)
      return .allowed
    }
  }

  /// Whole seconds until all buckets have an attempt left; nil if they have one now.
  private static func wait(_ keys: [Key], _ state: inout State, _ now: Timestamp) -> Int? {
    keys.compactMap { key in
      // A missing bucket equals a full one.
      guard var bucket = state.buckets[key] else { return nil }
      bucket.refill(key.limit, at: now)
      state.buckets[key] = bucket
      return bucket.wait(key.limit)
    }.max()
  }

  private static func take(_ keys: [Key], _ state: inout State, _ now: Timestamp) {
    for key in keys {
      var bucket = state.buckets[key] ?? Bucket(key.limit, at: now)
      bucket.take(key.limit)
      state.buckets[key] = bucket
    }
    // A refused attempt adds no bucket, and full ones are removed, so the limits also bound how many there are.
    guard state.buckets.count >= state.sweep else { return }
    state.buckets = state.buckets.filter { !$0.value.isFull($0.key.limit, at: now) }
    state.sweep = max(leastSweep, 2 * state.buckets.count)
  }

  /// Call after a successful login: clears the attempts counted for the device or address, and gives this attempt back
  /// to the limit of the user name.
  func succeeded(_ attempt: Attempt) {
    state.withLock { state in
      for key in Self.names(of: attempt) + Self.places(of: attempt) {
        switch key {
        case .device, .address: state.buckets[key] = nil
        case .user, .network, .everybody: state.buckets[key]?.giveBack(key.limit)
        case .crowd, .crowdOfAll, .provider, .providerForAll, .decisions: break
        }
      }
    }
  }

  private static func names(of attempt: Attempt) -> [Key] {
    if let device = attempt.device { return [.device(user: attempt.user, device)] }
    return [.address(user: attempt.user, network: attempt.network), .user(attempt.user)]
  }

  private static func places(of attempt: Attempt) -> [Key] {
    attempt.device == nil ? [.network(attempt.network), .everybody] : []
  }
}

/// The size of a token bucket and how fast it refills.
struct BucketLimit: Sendable {
  let capacity: Int64
  let millisecondsPerAttempt: Int64

  /// The credit of a full bucket, in milliseconds.
  var full: Int64 { capacity * millisecondsPerAttempt }
}

/// A token bucket. Its credit is counted in whole milliseconds, so that waiting times are exact.
struct Bucket: Sendable {
  private var credit: Int64
  private var filled: Timestamp

  /// Starts with full credit.
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

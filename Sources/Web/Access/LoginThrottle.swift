import Core
internal import Synchronization

/// Limits how often passwords may be tried, so that guessing takes too long and legitimate users are not locked out.
///
/// The limits do not depend on whether a name exists. Otherwise they would reveal which names exist.
///
/// Limits per name restrict guesses. They also apply to right passwords; otherwise the answer would reveal a right
/// guess.
///
/// - **A device that logged in before** (`DeviceCookie`) has a separate bucket for its name: five attempts at once,
///   then one per minute. Other clients cannot use it up (OWASP, "Slow Down Online Guessing Attacks with Device
///   Cookies").
/// - **A name from an address**: five, then one per minute. An attacker at one address gets 65 attempts in the first
///   hour.
/// - **A name from any address without such a device**: thirty, then one every ten seconds. A thousand addresses
///   together get 390 attempts in the first hour. Such an attacker can delay a user with a known name on a *new*
///   device, but not on a device that logged in before.
///
/// Limits per address (five, then one every two seconds) and for all clients (two hundred, then five per second)
/// restrict the work: hashing a password takes a tenth of a second, and an unknown name must take as long. Beyond these
/// limits an attempt is `crowded`: the right password still opens a session, so a flood of random names locks no user
/// out. At most 125 crowded attempts per second from an address and 250 in total are accepted; they cost only memory
/// and a lookup.
public final class LoginThrottle: Sendable {
  /// A login attempt.
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
    /// Accept the right password. Refuse anything else as for `wait`, after a time that does not depend on the name.
    case crowded(seconds: Int)
    /// Refuse the attempt with status 429 and this `Retry-After`.
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
    /// The number of buckets at which full buckets are removed.
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

  /// Counts a request to a login provider, which clients without a login can cause: ten per address at once, then one
  /// every two seconds; sixty in total at once, then one per second.
  func question(from network: String, at now: Timestamp) -> Answer {
    take([.provider(network: network), .providerForAll], at: now)
  }

  /// Counts a decision of a user or token: 120 at once, then one per second.
  func decision(of actor: String, at now: Timestamp) -> Answer { take([.decisions(of: actor)], at: now) }

  private func take(_ keys: [Key], at now: Timestamp) -> Answer {
    state.withLock { state in
      if let seconds = Self.wait(keys, &state, now) { return .wait(seconds: seconds) }
      Self.take(keys, &state, now)
      return .allowed
    }
  }

  /// The whole seconds until all buckets allow an attempt; nil if they allow one now.
  private static func wait(_ keys: [Key], _ state: inout State, _ now: Timestamp) -> Int? {
    keys.compactMap { key in
      // A missing bucket is the same as a full one.
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
    // A refused attempt adds no bucket, and full buckets are removed, so the limits also bound the number of buckets.
    guard state.buckets.count >= state.sweep else { return }
    state.buckets = state.buckets.filter { !$0.value.isFull($0.key.limit, at: now) }
    state.sweep = max(leastSweep, 2 * state.buckets.count)
  }

  /// Call this after a successful login. It clears the attempts of the device or address, and returns this attempt to
  /// the limit of the user name.
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

/// The size of a token bucket and its refill rate.
struct BucketLimit: Sendable {
  let capacity: Int64
  let millisecondsPerAttempt: Int64

  /// The credit of a full bucket, in milliseconds.
  var full: Int64 { capacity * millisecondsPerAttempt }
}

/// A token bucket. Its credit is in whole milliseconds, so waiting times are exact.
struct Bucket: Sendable {
  private var credit: Int64
  private var filled: Timestamp

  /// Creates a full bucket.
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

  /// The whole seconds until an attempt is allowed; nil if it is allowed now.
  func wait(_ limit: BucketLimit) -> Int? {
    let missing = limit.millisecondsPerAttempt - credit
    return missing > 0 ? Int((missing + 999) / 1000) : nil
  }
}

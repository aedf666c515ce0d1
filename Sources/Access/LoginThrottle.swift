internal import Synchronization
public import Telemetry

/// Limits how often passwords may be tried, so that guessing takes too long and legitimate users are not locked out.
///
/// Whether a name exists decides nothing here: a limit that only unknown names have would tell them from users' names. Each
/// kind of attempt has limits of its own:
///
/// - **A device that logged in before** (`DeviceCookie`) has a bucket of its own for its name: five attempts in a row,
///   then one a minute. Other clients cannot use it up (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
/// - **A name from an address**: five, then one a minute. So a guesser at one address gets 65 attempts in the first
///   hour.
/// - **A name from anywhere without such a device**: thirty, then one in ten seconds, so that a thousand
///   addresses together get 390 in the first hour. An attacker with that many can delay a user on a *new* device whose
///   name they know, but not on a device that logged in before.
/// - **An address, whatever the names**: twenty, then one in two seconds.
/// - **All together, without such a device**: two hundred, then five a second: hashing a password takes a tenth of a second.
///   An attacker with more than ten addresses can use this up; devices that logged in before still get in.
///
/// The limits hold for right passwords, too: otherwise the answer would reveal a right guess.
public final class LoginThrottle: Sendable {
  /// One attempt to log in.
  public struct Attempt: Sendable {
    /// The user name, in lower case and cut to 64 characters.
    public var user: String
    /// The client's IPv4 address, or the /64 of its IPv6 address.
    public var network: String
    /// The number from the client's device cookie; nil unless it has logged in under this name before.
    public var device: String?

    public init(user: String, network: String, device: String? = nil) {
      self.user = String(user.lowercased().prefix(64))
      self.network = network
      self.device = device
    }
  }

  /// The decision about an attempt.
  public enum Answer: Equatable, Sendable {
    case allowed
    /// Refuse it with status 429 and this `Retry-After`.
    case wait(seconds: Int)
  }

  private enum Key: Hashable {
    case device(user: String, String)
    case address(user: String, network: String)
    case user(String)
    case network(String)
    case everybody
    case provider(network: String)
    case providerForAll
    case decisions(of: String)

    var limit: BucketLimit {
      switch self {
      case .device, .address: BucketLimit(capacity: 5, millisecondsPerAttempt: 60_000)
      case .user: BucketLimit(capacity: 30, millisecondsPerAttempt: 10_000)
      case .network: BucketLimit(capacity: 20, millisecondsPerAttempt: 2000)
      case .everybody: BucketLimit(capacity: 200, millisecondsPerAttempt: 200)
      case .provider: BucketLimit(capacity: 10, millisecondsPerAttempt: 2000)
      case .providerForAll: BucketLimit(capacity: 60, millisecondsPerAttempt: 1000)
      case .decisions: BucketLimit(capacity: 120, millisecondsPerAttempt: 1000)
      }
    }
  }

  private let buckets = Mutex<[Key: Bucket]>([:])

  public init() {}

  /// Counts an attempt if it is allowed; otherwise returns how long to wait.
  public func attempt(_ attempt: Attempt, at now: Timestamp) -> Answer { take(Self.keys(of: attempt), at: now) }

  /// Counts a question to a login provider, which requests without a login cause: ten from an address, then one in two seconds; sixty from
  /// all, then one a second.
  public func question(from network: String, at now: Timestamp) -> Answer {
    take([.provider(network: network), .providerForAll], at: now)
  }

  /// Counts a decision of a user or token: 120 in a row, then one a second.
  public func decision(of actor: String, at now: Timestamp) -> Answer { take([.decisions(of: actor)], at: now) }

  private func take(_ keys: [Key], at now: Timestamp) -> Answer {
    buckets.withLock { buckets in
      // A full bucket equals a missing one. A refused attempt adds no bucket, so the limits also bound how many there
      // are.
      buckets = buckets.filter { !$0.value.isFull($0.key.limit, at: now) }
      var own = keys.map { (key: $0, bucket: buckets[$0] ?? Bucket($0.limit, at: now)) }
      for index in own.indices { own[index].bucket.refill(own[index].key.limit, at: now) }
      if let seconds = own.compactMap({ $0.bucket.wait($0.key.limit) }).max() { return .wait(seconds: seconds) }
      for (key, bucket) in own {
        buckets[key] = bucket
        buckets[key]?.take(key.limit)
      }
      return .allowed
    }
  }

  /// Call after a successful login: clears the attempts counted for the device or address, and gives this attempt back
  /// to the limit of the user name.
  public func succeeded(_ attempt: Attempt) {
    buckets.withLock { buckets in
      for key in Self.keys(of: attempt) {
        switch key {
        case .device, .address: buckets[key] = nil
        case .user, .network, .everybody: buckets[key]?.giveBack(key.limit)
        case .provider, .providerForAll, .decisions: break
        }
      }
    }
  }

  private static func keys(of attempt: Attempt) -> [Key] {
    if let device = attempt.device { return [.device(user: attempt.user, device)] }
    return [
      .address(user: attempt.user, network: attempt.network), .user(attempt.user), .network(attempt.network),
      .everybody,
    ]
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

internal import Synchronization
public import Telemetry

/// Limits how often passwords may be tried, sign-ins with a provider be finished and decisions be made, so that guessing
/// takes too long, legitimate users are not locked out, and no one fills the audit log.
///
/// The limits know nothing of users: an answer that depended on whether a name exists would tell names apart. Each kind
/// of attempt has limits of its own:
///
/// - **A device that logged in before** (`DeviceCookie`) has a bucket of its own for its name: five attempts in a row,
///   then one a minute. Other clients cannot use it up (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
/// - **A name from an address**: five, then one a minute. So a guesser at one address gets 65 attempts in the first
///   hour.
/// - **A name, from anywhere without such a device**: thirty, then one in ten seconds, so that a thousand addresses
///   together get 390 in the first hour. An attacker with that many can delay a user on a *new* device whose name they
///   know, but not on a device that logged in before.
/// - **An address, with whatever names**: twenty, then one in ten seconds.
/// - **A share of all addresses**: each address belongs to one of 32 by a secret hash. Thirty, then one in five seconds,
///   so that hashing passwords takes a bounded part of a core. One address cannot use up its share. Hundreds can, and
///   delay logins on new devices; devices that logged in before have no part in it.
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
    case share(Int)
    case provider(network: String)
    case providerShare(Int)
    case decisions(of: String)

    var limit: BucketLimit {
      switch self {
      case .device, .address: BucketLimit(capacity: 5, millisecondsPerAttempt: 60_000)
      case .user: BucketLimit(capacity: 30, millisecondsPerAttempt: 10_000)
      case .network, .provider: BucketLimit(capacity: 20, millisecondsPerAttempt: 10_000)
      case .decisions: BucketLimit(capacity: 120, millisecondsPerAttempt: 1000)
      case .share, .providerShare: BucketLimit(capacity: 30, millisecondsPerAttempt: 5000)
      }
    }
  }

  private struct State {
    var buckets: [Key: Bucket] = [:]
    /// When full buckets were last removed.
    var swept = Timestamp(milliseconds: .min)

    /// Removes full buckets, which equal missing ones, once a second. A refused attempt adds none, so the limits of the
    /// shares bound how many there are.
    mutating func sweep(at now: Timestamp) {
      let (passed, overflow) = now.milliseconds.subtractingReportingOverflow(swept.milliseconds)
      guard overflow || passed < 0 || passed >= 1000 else { return }
      buckets = buckets.filter { !$0.value.isFull($0.key.limit, at: now) }
      swept = now
    }
  }

  private let state = Mutex(State())

  public init() {}

  /// Counts an attempt if it is allowed; otherwise returns how long to wait.
  public func attempt(_ attempt: Attempt, at now: Timestamp) -> Answer { take(Self.keys(of: attempt), now) }

  /// Counts a sign-in that a browser brings back from a provider, which is asked about it. Otherwise returns how long to
  /// wait. `network`: as in `Attempt`.
  public func signIn(from network: String, at now: Timestamp) -> Answer { take(Self.keys(ofSignInFrom: network), now) }

  /// Counts a decision of a user or token: 120 in a row, then one a second. Otherwise returns how long to wait.
  public func decision(of actor: String, at now: Timestamp) -> Answer { take([.decisions(of: actor)], now) }

  /// Call after a successful login: gives the attempt back. A known device gets all of its attempts back; nobody else
  /// could see that.
  public func succeeded(_ attempt: Attempt) { giveBack(Self.keys(of: attempt)) }

  /// Call after a successful sign-in with a provider: gives it back.
  public func signedIn(from network: String) { giveBack(Self.keys(ofSignInFrom: network)) }

  /// The share of an address. Which addresses are together differs with every start of the server.
  public static func share(of network: String) -> Int { Int(UInt(bitPattern: network.hashValue) % 32) }

  private func take(_ keys: [Key], _ now: Timestamp) -> Answer {
    state.withLock { state in
      state.sweep(at: now)
      var own = keys.map { (key: $0, bucket: state.buckets[$0] ?? Bucket($0.limit, at: now)) }
      for index in own.indices { own[index].bucket.refill(own[index].key.limit, at: now) }
      if let seconds = own.compactMap({ $0.bucket.wait($0.key.limit) }).max() { return .wait(seconds: seconds) }
      for (key, bucket) in own {
        state.buckets[key] = bucket
        state.buckets[key]?.take(key.limit)
      }
      return .allowed
    }
  }

  private func giveBack(_ keys: [Key]) {
    state.withLock { state in
      for key in keys {
        if case .device = key { state.buckets[key] = nil } else { state.buckets[key]?.giveBack(key.limit) }
      }
    }
  }

  private static func keys(of attempt: Attempt) -> [Key] {
    if let device = attempt.device { return [.device(user: attempt.user, device)] }
    return [
      .address(user: attempt.user, network: attempt.network), .user(attempt.user), .network(attempt.network),
      .share(share(of: attempt.network)),
    ]
  }

  private static func keys(ofSignInFrom network: String) -> [Key] {
    [.provider(network: network), .providerShare(share(of: network))]
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

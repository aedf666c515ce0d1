internal import Synchronization
public import Telemetry

/// Limits how often passwords may be tried, so that guessing takes for ever and nobody can keep a person out.
///
/// There are two threats. Somebody guesses the password of one person: from one address, or from thousands. And somebody
/// tries at random, dozens of times a second, so that a limit for all together is always used up and a person who knows
/// the password never gets a turn. A limit per name alone stops the first and invites locking people out; a limit for
/// all stops neither well. So each attempt is counted where it can only hurt its own kind:
///
/// - **A device that logged in before** (`DeviceCookie`) has a bucket of its own for its name: five attempts in a row,
///   then one a minute. Nobody else can use it up (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
/// - **A name from an address**: five, then one a minute. So a guesser at one address gets 65 attempts in the first hour.
/// - **The name of a user, from anywhere without such a device**: thirty, then one in ten seconds, so that a thousand
///   addresses together get 390 in the first hour. Who has that many can delay a person on a *new* device whose name they
///   know; on a device that logged in before they cannot.
/// - **Names that nobody has**: ten for an address, then one in two seconds; thirty for all together, then one in two
///   seconds. A flood of random names waits behind itself; the names of users do not wait with it. While it lasts, a
///   name that is refused at once is told from one that is not: names are no secrets here, passwords are.
///
/// The limits hold for right passwords too, or trying would tell.
public final class LoginThrottle: Sendable {
  /// Who tries.
  public struct Attempt: Sendable {
    /// The name as it was typed.
    public var user: String
    /// Whether somebody is called so.
    public var isUser: Bool
    /// Where from: an address, of IPv6 its /64.
    public var network: String
    /// The device, when it has logged in under this name before.
    public var device: String?

    /// An attempt with every part named.
    public init(user: String, isUser: Bool, network: String, device: String? = nil) {
      self.user = String(user.lowercased().prefix(64))
      self.isUser = isUser
      self.network = network
      self.device = device
    }
  }

  /// What to do with an attempt.
  public enum Answer: Equatable, Sendable {
    case allowed
    /// Answer 429 with this `Retry-After`.
    case wait(seconds: Int)
  }

  private enum Key: Hashable {
    case device(user: String, String)
    case place(user: String, network: String)
    case user(String)
    case network(String)
    case strangers

    var limit: BucketLimit {
      switch self {
      case .device, .place: BucketLimit(capacity: 5, millisecondsPerAttempt: 60_000)
      case .user: BucketLimit(capacity: 30, millisecondsPerAttempt: 10_000)
      case .network: BucketLimit(capacity: 10, millisecondsPerAttempt: 2000)
      case .strangers: BucketLimit(capacity: 30, millisecondsPerAttempt: 2000)
      }
    }
  }

  private let buckets = Mutex<[Key: Bucket]>([:])

  /// A throttle that has seen no attempts.
  public init() {}

  /// Counts an attempt and says whether it may be made.
  public func attempt(_ attempt: Attempt, at now: Timestamp) -> Answer {
    let keys = Self.keys(of: attempt)
    return buckets.withLock { buckets in
      // Full ones say nothing. The limits keep the others few: an attempt that is refused leaves none behind.
      buckets = buckets.filter { !$0.value.isFull($0.key.limit, at: now) }
      var own = keys.map { (key: $0, bucket: buckets[$0] ?? Bucket($0.limit, at: now)) }
      for place in own.indices { own[place].bucket.refill(own[place].key.limit, at: now) }
      if let seconds = own.compactMap({ $0.bucket.wait($0.key.limit) }).max() { return .wait(seconds: seconds) }
      for (key, bucket) in own {
        buckets[key] = bucket
        buckets[key]?.take(key.limit)
      }
      return .allowed
    }
  }

  /// Forgets the failed attempts of somebody who has logged in.
  public func succeeded(_ attempt: Attempt) {
    buckets.withLock { buckets in
      for key in Self.keys(of: attempt) {
        switch key {
        case .device, .place: buckets[key] = nil
        case .user, .network, .strangers: buckets[key]?.giveBack(key.limit)
        }
      }
    }
  }

  private static func keys(of attempt: Attempt) -> [Key] {
    if attempt.isUser, let device = attempt.device { return [.device(user: attempt.user, device)] }
    let place = Key.place(user: attempt.user, network: attempt.network)
    return attempt.isUser ? [place, .user(attempt.user)] : [place, .network(attempt.network), .strangers]
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

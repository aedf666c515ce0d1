import Telemetry

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Users who crash, and on how many days each does: what clusters of one day cannot show.
public struct ReturningUsers: Sendable, Equatable {
  /// Distinct users of the window.
  public var users: Int
  /// Those of them with a crash.
  public var crashedUsers: Int
  /// Days on which a user crashed, each user's counted.
  public var crashedUserDays: Int

  public init(users: Int = 0, crashedUsers: Int = 0, crashedUserDays: Int = 0) {
    self.users = users
    self.crashedUsers = crashedUsers
    self.crashedUserDays = crashedUserDays
  }

  /// Adds those of another release.
  public mutating func merge(_ other: ReturningUsers) {
    users = users.saturatingAdd(other.users)
    crashedUsers = crashedUsers.saturatingAdd(other.crashedUsers)
    crashedUserDays = crashedUserDays.saturatingAdd(other.crashedUserDays)
  }

  /// How many times more crashed user-days vary than if every user were as likely to crash; at least 1.
  ///
  /// Were all alike, crashed days per user would be Poisson with mean λ, and a share exp(−λ) of users would have none. Are
  /// they not, more users have none: −ln of that share is λ·w with w below 1. Of Poisson counts whose means follow an inverse
  /// Gaussian distribution with variance λx, w = (√(1 + 2x) − 1)/x, so x = 2(1 − w)/w². That distribution has the long tail of
  /// a few users who crash far more often than the others, which a negative binomial one would hide. M. Holla, "On a
  /// Poisson-inverse Gaussian distribution" (1967); the estimate from the zeros is that of F. Anscombe (1950). It is not more
  /// than what these counts can make at the most: one user with all crashed days beyond one for each of the others.
  public var inflation: Double {
    guard crashedUsers > 0, crashedUsers < users, crashedUserDays > crashedUsers else { return 1 }
    let mean = Double(crashedUserDays) / Double(users)
    let w = -log1p(-Double(crashedUsers) / Double(users)) / mean
    guard w < 1 else { return 1 }
    let most = Double(crashedUserDays - crashedUsers + 1)
    return max(1, min(1 + 2 * (1 - w) / (w * w), (Double(crashedUsers - 1) + most * most) / Double(crashedUserDays)))
  }
}

/// How a window's values spread over phones, estimated from payloads that do not identify their phone: a
/// phone sends one a day.
public struct PhoneUse: Sendable, Equatable {
  /// The most payloads on one day.
  private var mostPayloads = 0
  /// Σ√(Q_d − N_d) over days: Q_d − N_d counts the pairs of values within the payloads of a day.
  private var pairs = 0.0

  /// No days.
  public init() {}

  /// Of a window's days.
  public init(_ days: some Sequence<Histogram>) {
    for day in days { add(day) }
  }

  /// Adds a day's values.
  public mutating func add(_ day: Histogram) {
    mostPayloads = max(mostPayloads, day.moments.clusters)
    let within = day.moments.squares.saturatingSubtract(Int128(day.count))
    pairs += Double(wide: max(0, within)).squareRoot()
  }

  /// How many phones there are at least.
  public var phones: Double { Double(max(1, mostPayloads)) }

  /// How many of `n` values a value finds on its own phone, itself included.
  ///
  /// With nⱼ values of phone j on all days, that is Σnⱼ²/n. By Minkowski's inequality Σnⱼ² is at most (Σ√Q_d)², reached
  /// when the phones that launch most on one day do so on every day. How often a phone launches varies from day to day even so; as
  /// with Poisson's counts, that adds a value to itself only, and so it is taken out of Q_d. Not less than n ÷ phones.
  public func valuesPerPhone(of n: Double) -> Double {
    guard n > 0 else { return 1 }
    return max(1 + pairs * pairs / n, fewestPerPhone(of: n))
  }

  /// As many of `n` values as each phone has if all have equally many.
  func fewestPerPhone(of n: Double) -> Double { n / phones }
}

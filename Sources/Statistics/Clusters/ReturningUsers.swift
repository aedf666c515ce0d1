import Core

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The number of users with a crash and of their days with a crash. It shows repeated crashes, which clusters of one
/// day cannot show.
public struct ReturningUsers: Sendable, Equatable {
  /// The number of different users in the window.
  public var users: Int
  /// The number of users with a crash.
  public var crashedUsers: Int
  /// The number of pairs of a user and a day with a crash.
  var crashedUserDays: Int

  public init(users: Int = 0, crashedUsers: Int = 0, crashedUserDays: Int = 0) {
    self.users = users
    self.crashedUsers = crashedUsers
    self.crashedUserDays = crashedUserDays
  }

  /// Adds the user counts of another release.
  mutating func merge(_ other: ReturningUsers) {
    users = users.saturatingAdd(other.users)
    crashedUsers = crashedUsers.saturatingAdd(other.crashedUsers)
    crashedUserDays = crashedUserDays.saturatingAdd(other.crashedUserDays)
  }

  /// The factor, at least 1, by which the variance of crashed user-days exceeds that of equally crash-prone users.
  ///
  /// If users were equally crash-prone, crashed days per user would be Poisson with mean λ, and a share exp(−λ) of
  /// users would have none. Otherwise more users have none: −ln of that share is λ·w with w below 1. If the means of
  /// Poisson counts follow an inverse Gaussian distribution with variance λx, then w = (√(1 + 2x) − 1)/x, so x = 2(1 −
  /// w)/w². That distribution has a long tail: a few users who crash far more often than the others, which a negative
  /// binomial distribution would hide. M. Holla, "On a Poisson-inverse Gaussian distribution" (1967); the estimate from
  /// the zeros is by F. Anscombe (1950). The factor is limited to the maximum that these counts allow: one user with
  /// all crashed days beyond one for each of the others.
  public var inflation: Double {
    guard crashedUsers > 0, crashedUsers < users, crashedUserDays > crashedUsers else { return 1 }
    let mean = Double(crashedUserDays) / Double(users)
    let w = -log1p(-Double(crashedUsers) / Double(users)) / mean
    guard w < 1 else { return 1 }
    let most = Double(crashedUserDays - crashedUsers + 1)
    return max(1, min(1 + 2 * (1 - w) / (w * w), (Double(crashedUsers - 1) + most * most) / Double(crashedUserDays)))
  }
}

/// The distribution of a window's values over phones. It is estimated from payloads that do not identify their phone:
/// each phone sends one payload a day.
public struct PhoneUse: Sendable, Equatable {
  /// The largest number of payloads on one day.
  private var mostPayloads = 0
  /// Σ√(Q_d − N_d) over days, where Q_d − N_d is the number of ordered pairs of values within the payloads of a day.
  private var pairs = 0.0

  /// Creates a distribution without values.
  public init() {}

  /// The distribution of a window, from the histograms of its days.
  public init(_ days: some Sequence<Histogram>) {
    for day in days { add(day) }
  }

  /// Adds the values of a day.
  public mutating func add(_ day: Histogram) {
    mostPayloads = max(mostPayloads, day.moments.clusters)
    let within = day.moments.squares.saturatingSubtract(Int128(day.count))
    pairs += Double(wide: max(0, within)).squareRoot()
  }

  /// Adds the values of other days.
  public mutating func merge(_ other: PhoneUse) {
    mostPayloads = max(mostPayloads, other.mostPayloads)
    pairs += other.pairs
  }

  /// A lower bound of the number of phones: the payloads of the day with the most payloads.
  var phones: Double { Double(max(1, mostPayloads)) }

  /// The mean number of values on the phone of a value, itself included, for `n` values.
  ///
  /// With nⱼ values of phone j on all days, that is Σnⱼ²/n. By Minkowski's inequality Σnⱼ² is at most (Σ√Q_d)², which
  /// is reached if the phones with the most launches on one day have the most on every day. The number of launches of a
  /// phone still varies from day to day. As in Poisson counts, this variation only pairs a value with itself, so these
  /// pairs are removed from Q_d. The result is at least n ÷ phones.
  func valuesPerPhone(of n: Double) -> Double {
    guard n > 0 else { return 1 }
    return max(1 + pairs * pairs / n, fewestPerPhone(of: n))
  }

  /// The number of values per phone if the `n` values are spread evenly over phones.
  func fewestPerPhone(of n: Double) -> Double { n / phones }
}

import Core

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The number of users with a crash and of their days with a crash. It shows repeated crashes, which clusters of one
/// day cannot show.
public struct RepeatCrashes: Sendable, Equatable {
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
  mutating func merge(_ other: RepeatCrashes) {
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

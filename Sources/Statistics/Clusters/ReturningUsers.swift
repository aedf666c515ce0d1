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
  /// they not, more users have none: the negative binomial distribution with variance λ(1 + x) leaves (1 + x)^(−λ/x) of
  /// them without, so x follows from the share seen. F. Anscombe, "Sampling theory of the negative binomial and logarithmic
  /// series distributions" (1950), his second estimator.
  public var inflation: Double {
    guard crashedUsers > 0, crashedUsers < users, crashedUserDays > crashedUsers else { return 1 }
    let mean = Double(crashedUserDays) / Double(users)
    let wanted = -log1p(-Double(crashedUsers) / Double(users)) / mean
    guard wanted < 1 else { return 1 }
    // ln(1 + x) / x falls from 1 as x grows.
    var (low, high) = (0.0, 1e9)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if log1p(middle) / middle > wanted { low = middle } else { high = middle }
    }
    return 1 + low
  }
}

import Foundation
public import Statistics

/// People who use an app on days, some of whose sessions crash.
public struct SessionFleet: Sendable {
  public var users: Int
  public var days: Int
  /// Sessions of a user on a day: one, and so many more on average.
  public var moreSessions: Double
  /// True share of crashed sessions.
  public var crashed: Double
  /// The correlation of two sessions of one user: on one day, or over the whole window.
  public var likeness: Double
  public var isLasting: Bool
  /// Whether the first user crashes in every second session, on every day; the others as `crashed` says.
  public var hasLoopingUser: Bool
  /// The chance of a user-day to end in a loop of 30 crashed sessions; `crashed` is of all other sessions.
  public var loops: Double

  public init(
    users: Int = 300, days: Int = 7, moreSessions: Double = 2, crashed: Double = 0.005, likeness: Double = 0,
    isLasting: Bool = false, loops: Double = 0, hasLoopingUser: Bool = false
  ) {
    self.users = users
    self.days = days
    self.moreSessions = moreSessions
    self.crashed = crashed
    self.likeness = likeness
    self.isLasting = isLasting
    self.loops = loops
    self.hasLoopingUser = hasLoopingUser
  }

  static let loopLength = 30

  /// The share of crashed sessions that is expected, loops included.
  public var expected: Double {
    let usual = 1 + moreSessions
    let looped = loops * Double(Self.loopLength)
    let all = (usual * crashed + looped) / (usual + looped)
    return hasLoopingUser ? all + (0.5 - all) / Double(users) : all
  }

  /// Crashed and all sessions by user-day, and who crashed.
  public func window(_ random: inout FleetRandom) -> (userDays: PairSum, returning: ReturningUsers) {
    var sums = PairSum()
    var returning = ReturningUsers(users: users)
    for user in 0..<users {
      let crashedDays = returning.crashedUserDays
      var share = random.share(mean: crashed, likeness: likeness)
      for day in 0..<days {
        if day > 0, !isLasting { share = random.share(mean: crashed, likeness: likeness) }
        var sessions = 1 + random.poisson(moreSessions)
        var crashes = 0
        if hasLoopingUser, user == 0 { share = 0.5 }
        for _ in 0..<sessions where random.uniform() < share { crashes += 1 }
        if loops > 0, random.uniform() < loops {
          sessions += Self.loopLength
          crashes += Self.loopLength
        }
        sums.add(x: Int64(crashes), y: Int64(sessions))
        if crashes > 0 { returning.crashedUserDays += 1 }
      }
      if returning.crashedUserDays > crashedDays { returning.crashedUsers += 1 }
    }
    return (sums, returning)
  }
}

/// Whether a crash-free budget is called broken, as the verdict does it.
public func isCrashFreeBroken(
  _ sums: PairSum, _ returning: ReturningUsers?, allowed: Double, tail: Double = 0.05
) -> (broken: Bool, effect: Double) {
  let (k, n) = (Double(sums.x), Double(sums.y))
  let effect = DesignEffect.forRatio(k: k, n: n, moments: sums).inflated(by: returning?.inflation ?? 1)
  guard k >= 3, let low = Interval.ratio(k: k, n: n, effect: effect, tail: tail).low else {
    return (false, effect.value)
  }
  return (low > allowed, effect.value)
}

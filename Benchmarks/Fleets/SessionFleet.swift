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
  /// The chance of a user-day to end in a loop of 30 crashed sessions; `crashed` is of all other sessions.
  public var loops: Double

  public init(
    users: Int = 300, days: Int = 7, moreSessions: Double = 2, crashed: Double = 0.005, likeness: Double = 0,
    isLasting: Bool = false, loops: Double = 0
  ) {
    self.users = users
    self.days = days
    self.moreSessions = moreSessions
    self.crashed = crashed
    self.likeness = likeness
    self.isLasting = isLasting
    self.loops = loops
  }

  static let loopLength = 30

  /// The share of crashed sessions that is expected, loops included.
  public var expected: Double {
    let usual = 1 + moreSessions
    let looped = loops * Double(Self.loopLength)
    return (usual * crashed + looped) / (usual + looped)
  }

  /// Crashed and all sessions by user-day.
  public func window(_ random: inout FleetRandom) -> PairSum {
    var sums = PairSum()
    for _ in 0..<users {
      var share = random.share(mean: crashed, likeness: likeness)
      for day in 0..<days {
        if day > 0, !isLasting { share = random.share(mean: crashed, likeness: likeness) }
        var sessions = 1 + random.poisson(moreSessions)
        var crashes = 0
        for _ in 0..<sessions where random.uniform() < share { crashes += 1 }
        if loops > 0, random.uniform() < loops {
          sessions += Self.loopLength
          crashes += Self.loopLength
        }
        sums.add(x: Int64(crashes), y: Int64(sessions))
      }
    }
    return sums
  }
}

/// Whether a crash-free budget is called broken, as the verdict does it.
public func isCrashFreeBroken(_ sums: PairSum, allowed: Double, tail: Double = 0.05) -> (broken: Bool, effect: Double) {
  let (k, n) = (Double(sums.x), Double(sums.y))
  let effect = DesignEffect.forRatio(k: k, n: n, moments: sums)
  guard k >= 3, let low = Interval.ratio(k: k, n: n, effect: effect, tail: tail).low else {
    return (false, effect.value)
  }
  return (low > allowed, effect.value)
}

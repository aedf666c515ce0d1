import Fleets
import Foundation
import Statistics
import Testing

@Suite("Users who crash again")
struct ReturningUsersTests {
  /// The share of users without a crash that a negative binomial distribution leaves, its first term.
  @Test("the excess variance of a negative binomial distribution is found again", arguments: [0.1, 0.5, 2, 10])
  func negativeBinomial(excess: Double) {
    for mean in [0.01, 0.2, 1.5] {
      let without = pow(1 + excess, -mean / excess)
      let found = ReturningUsers(
        users: 100_000_000, crashedUsers: Int(1e8 * (1 - without)), crashedUserDays: Int(1e8 * mean))
      #expect(abs(found.inflation / (1 + excess) - 1) < 0.01)
    }
  }

  @Test("users who are all alike, and users nobody knows, change nothing")
  func alike() {
    var random = FleetRandom(4)
    let days = (0..<20_000).map { _ in random.poisson(0.3) }
    let found = ReturningUsers(
      users: days.count, crashedUsers: days.count { $0 > 0 }, crashedUserDays: days.reduce(0, +))
    #expect(found.inflation < 1.05)
    #expect(ReturningUsers().inflation == 1)
    #expect(ReturningUsers(users: 5, crashedUsers: 5, crashedUserDays: 20).inflation == 1)
    #expect(ReturningUsers(users: 9, crashedUsers: 3, crashedUserDays: 3).inflation == 1)
  }

  @Test("it is how many times more crashed days of a user vary, by brute force")
  func bruteForce() {
    var random = FleetRandom(8)
    let days = (0..<40_000).map { _ -> Int in
      let share = random.share(mean: 0.02, likeness: 0.1)
      return (0..<14).count { _ in random.uniform() < share }
    }
    let mean = Double(days.reduce(0, +)) / Double(days.count)
    let variance = days.reduce(0) { $0 + pow(Double($1) - mean, 2) } / Double(days.count)
    let found = ReturningUsers(
      users: days.count, crashedUsers: days.count { $0 > 0 }, crashedUserDays: days.reduce(0, +))
    #expect(abs(found.inflation / (variance / mean) - 1) < 0.15)
  }

  @Test("one user who crashes all week in an app of a hundred weighs little")
  func oneUser() {
    let found = ReturningUsers(users: 100, crashedUsers: 3, crashedUserDays: 2 + 7)
    #expect(found.inflation > 4)
    #expect(ReturningUsers(users: 100, crashedUsers: 1, crashedUserDays: 7).inflation > 20)
  }
}

import Fleets
import Foundation
import Testing
import TestSupport

@testable import Statistics

@Suite("Users who crash again")
struct RepeatCrashesTests {
  /// The share of users without a crash that a Poisson-inverse Gaussian distribution leaves, its first term.
  @Test("the excess variance of a Poisson-inverse Gaussian distribution is recovered", arguments: [0.1, 0.5, 2, 10])
  func inverseGaussian(excess: Double) {
    for mean in [0.01, 0.2, 1.5] {
      let without = exp(-mean * ((1 + 2 * excess).squareRoot() - 1) / excess)
      let found = RepeatCrashes(
        users: 100_000_000, crashedUsers: Int(1e8 * (1 - without)), crashedUserDays: Int(1e8 * mean))
      #expect(abs(found.inflation / (1 + excess) - 1) < 0.01)
    }
  }

  @Test("equally crash-prone users and unknown users change nothing")
  func alike() {
    var random = SeededRandom(seed: 4)
    let days = (0..<20_000).map { _ in random.poisson(0.3) }
    #expect(counts(days).inflation < 1.05)
    #expect(RepeatCrashes().inflation == 1)
    #expect(RepeatCrashes(users: 5, crashedUsers: 5, crashedUserDays: 20).inflation == 1)
    #expect(RepeatCrashes(users: 9, crashedUsers: 3, crashedUserDays: 3).inflation == 1)
  }

  @Test("the effect of users who crash again is the variance ratio of their crashed days or more, by brute force")
  func bruteForce() {
    var random = SeededRandom(seed: 8)
    let gradual = (0..<40_000).map { _ -> Int in
      let share = random.share(mean: 0.02, likeness: 0.1)
      return (0..<14).count { _ in random.uniform() < share }
    }
    #expect((1...1.5).contains(counts(gradual).inflation / varianceOverMean(gradual)))
    // Two in a hundred crash forty times as often: the zeros alone do not show all of it.
    let prone = (0..<40_000).map { _ in random.poisson(random.uniform() < 0.02 ? 9.4 : 0.236) }
    #expect((0.5...1).contains(counts(prone).inflation / varianceOverMean(prone)))
  }

  @Test("the effect of users who crash again is at most that of one user with all crashed days")
  func mostPossible() {
    // One of 100 users crashes on seven days: Σd² ÷ Σd = 49 ÷ 7.
    #expect(RepeatCrashes(users: 100, crashedUsers: 1, crashedUserDays: 7).inflation == 7)
    // Two more crash once: (49 + 1 + 1) ÷ 9.
    #expect(abs(RepeatCrashes(users: 100, crashedUsers: 3, crashedUserDays: 9).inflation - 51.0 / 9) < 1e-12)
  }

  private func counts(_ days: [Int]) -> RepeatCrashes {
    RepeatCrashes(users: days.count, crashedUsers: days.count { $0 > 0 }, crashedUserDays: days.reduce(0, +))
  }

  private func varianceOverMean(_ days: [Int]) -> Double {
    let mean = Double(days.reduce(0, +)) / Double(days.count)
    return days.reduce(0) { $0 + pow(Double($1) - mean, 2) } / Double(days.count) / mean
  }
}

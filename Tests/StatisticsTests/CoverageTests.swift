import Fleets
import Foundation
import Statistics
import Testing

/// Fleets exactly at budget: how often chance alone calls one broken. `make truth` does the same 10,000 times a row.
@Suite("Coverage on clustered launches")
struct CoverageTests {
  /// Repetitions of each simulation; the environment variable asks for more than a debug build has time for.
  static let repetitions = ProcessInfo.processInfo.environment["COVERAGE_REPETITIONS"].flatMap(Int.init) ?? 200

  @Test(
    "a percentile exactly at budget is called broken in at most 5 % of fleets",
    arguments: [
      LaunchFleet(likeness: 0.05), LaunchFleet(likeness: 0.1), LaunchFleet(likeness: 0.2, isBucketed: true),
      LaunchFleet(likeness: 0.4), LaunchFleet(likeness: 0.7), LaunchFleet(busyLaunches: 100),
      LaunchFleet(likeness: 0.05, busyLaunches: 100, isBusyDaily: true),
      LaunchFleet(likeness: 0.2, busyLaunches: 100, isBusyDaily: true), LaunchFleet(launches: 5, likeness: 0.02),
    ])
  func percentile(fleet: LaunchFleet) {
    var random = FleetRandom(UInt64(fleet.likeness * 1_000))
    var broken = [0, 0, 0]
    for _ in 0..<Self.repetitions {
      let (histogram, phones) = fleet.window(&random)
      let effect = DesignEffect.forDistribution(histogram, phones: phones, oneValuePerCluster: false)
      let reader = HistogramReader(histogram)
      for (place, verdict) in PercentileVerdict.all.enumerated() where verdict.isBroken(reader, effect) {
        broken[place] += 1
      }
    }
    #expect(broken.allSatisfy { Double($0) <= Self.most }, "\(fleet) \(broken)")
  }

  @Test(
    "a crash-free share exactly at budget is called broken in at most 5 % of fleets",
    arguments: [
      SessionFleet(), SessionFleet(likeness: 0.1), SessionFleet(likeness: 0.4), SessionFleet(likeness: 0.7),
      SessionFleet(crashed: 0.003, loops: 1e-3), SessionFleet(likeness: 0.05, isLasting: true),
      SessionFleet(likeness: 0.2, isLasting: true), SessionFleet(users: 100, hasLoopingUser: true),
    ])
  func crashFree(fleet: SessionFleet) {
    var random = FleetRandom(UInt64(fleet.likeness * 100) + 5)
    let broken = (0..<Self.repetitions).count { _ in
      let (userDays, returning) = fleet.window(&random)
      return isCrashFreeBroken(userDays, returning, allowed: fleet.expected).broken
    }
    #expect(Double(broken) <= Self.most, "\(fleet)")
  }

  @Test("launches that are not alike keep three quarters of their weight")
  func power() {
    var random = FleetRandom(3)
    let effects = (0..<Self.repetitions).map { _ in
      let (histogram, phones) = LaunchFleet().window(&random)
      return DesignEffect.forDistribution(histogram, phones: phones, oneValuePerCluster: false).value
    }
    #expect(effects.reduce(0, +) / Double(effects.count) < 1.35)
  }

  /// 5 % and what chance adds to it once in a thousand runs.
  private static var most: Double {
    let n = Double(repetitions)
    return 0.05 * n + 3.1 * (n * 0.05 * 0.95).squareRoot()
  }
}

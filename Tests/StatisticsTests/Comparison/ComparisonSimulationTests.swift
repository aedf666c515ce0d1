import Fleets
import Foundation
import Statistics
import Testing

/// Whole tables of releases that do not differ, and of one that does.
@Suite("Comparing two releases")
struct ComparisonSimulationTests {
  /// Fewer than a share needs to be exact: a debug build has seconds. `COVERAGE_REPETITIONS` asks for more.
  static let repetitions = ProcessInfo.processInfo.environment["COVERAGE_REPETITIONS"].flatMap(Int.init) ?? 60

  private static let newerPhones = (base: [0.6, 0.25, 0.15], head: [0.15, 0.25, 0.6])

  private func differing(_ fleet: ReleaseFleet, seed: UInt64, times: Int = repetitions) -> [[String]] {
    var random = FleetRandom(seed)
    return (0..<times).map { _ in
      ReleaseTable(base: fleet.release(isHead: false, &random), head: fleet.release(isHead: true, &random)).differing
    }
  }

  private func report(_ name: String, _ found: [[String]], _ isFound: ([String]) -> Bool) {
    guard Self.repetitions > 60 else { return }
    print("\(name): \(found.count(where: isFound)) of \(found.count)")
  }

  // `make truth` does it 2,000 times a row: about 1 %.
  @Test("the same release twice differs in about 5 % of tables at the most", arguments: [0.0, 0.05, 0.1, 0.2, 0.4])
  func nothing(likeness: Double) {
    let found = differing(ReleaseFleet(phones: 60, likeness: likeness), seed: UInt64(likeness * 1_000) + 11)
    report("A/A, ICC \(likeness)", found) { !$0.isEmpty }
    #expect(Double(found.count { !$0.isEmpty }) <= Self.most)
  }

  @Test("a release on newer phones is not faster for that", arguments: [0.1, 0.4])
  func newerPhones(likeness: Double) {
    var fleet = ReleaseFleet(phones: 100, likeness: likeness)
    fleet.adoption = Self.newerPhones
    let found = differing(fleet, seed: UInt64(likeness * 1_000) + 17)
    report("A/A, newer phones, ICC \(likeness)", found) { !$0.isEmpty }
    #expect(Double(found.count { !$0.isEmpty }) <= Self.most)
  }

  @Test("taken together, all devices would make it faster")
  func confounded() throws {
    var random = FleetRandom(5)
    var fleet = ReleaseFleet(phones: 300)
    fleet.adoption = Self.newerPhones
    let medians = [false, true].map { isHead in
      var all = Histogram(scheme: .logarithmic)
      for part in fleet.release(isHead: isHead, &random) { for day in part.launches { all.merge(day) } }
      return HistogramReader(all).quantile(0.9)?.value ?? 0
    }
    #expect(medians[1] < 0.9 * medians[0])
  }

  // Release build, 2,000 launches of each release: see docs/statistics.md.
  @Test(
    "a launch that takes 10 % longer is found in four of five comparisons on 2,000 launches", arguments: [0.0, 0.1])
  func slower(likeness: Double) {
    let fleet = ReleaseFleet(phones: 500, days: 2, likeness: likeness, slowdown: 1.1)
    let found = differing(fleet, seed: 23, times: Self.repetitions / 2)
    report("10 % slower, ICC \(likeness)", found) { $0.contains("+launch") }
    #expect(Double(found.count { $0.contains("+launch") }) >= 0.8 * Double(found.count))
    #expect(!found.contains { $0.contains("-launch") })
  }

  /// 5 % and what chance adds to it once in a thousand runs.
  private static var most: Double {
    let n = Double(repetitions)
    return 0.05 * n + 3.1 * (n * 0.05 * 0.95).squareRoot()
  }
}

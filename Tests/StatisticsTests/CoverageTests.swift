import Foundation
import Statistics
import Testing

/// Fleets exactly at budget: how often chance alone calls one broken.
@Suite("Coverage on clustered launches")
struct CoverageTests {
  /// Repetitions of each simulation; the environment variable asks for more than a debug build has time for.
  static let repetitions = ProcessInfo.processInfo.environment["COVERAGE_REPETITIONS"].flatMap(Int.init) ?? 200

  /// Two weeks of daily payloads from phones, each with its own level; log-normal launches in 10 ms buckets or raw.
  private func fleet(
    phones: Int, likeness: Double, launches: Double, bucketed: Bool, random: inout Seeded
  ) -> Histogram {
    var histogram = Histogram(scheme: .logarithmic)
    for _ in 0..<phones {
      let level = likeness.squareRoot() * random.normal()
      for _ in 0..<14 {
        var payload = ClusterSum()
        for _ in 0..<random.poisson(launches) {
          let value = exp(6.7 + 0.4 * (level + (1 - likeness).squareRoot() * random.normal()))
          let low = (value / 10).rounded(.down) * 10
          if bucketed {
            histogram.insertSpan(low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &payload)
          } else {
            histogram.insert(value, stepsPerUnit: 1_000, into: &payload)
          }
        }
        histogram.close(payload)
      }
    }
    return histogram
  }

  // 6,000 repetitions in a release build gave 5.9, 1.1, 0.8 and 1.2 %: the F test often misses the weakest likeness, and
  // 4.1 % without any likeness at a mean effect of 1.12.
  @Test(
    "a percentile exactly at budget is called broken in about 5 % of fleets at the most",
    arguments: [(0.05, false), (0.2, true), (0.4, false), (0.7, false)])
  func percentile(likeness: Double, bucketed: Bool) {
    var random = Seeded(UInt64(likeness * 1_000))
    let target = exp(6.7 + 0.4 * 1.281_551_565_544_6)  // the 90th percentile
    var broken = 0
    for _ in 0..<Self.repetitions {
      let histogram = fleet(phones: 30, likeness: likeness, launches: 1.5, bucketed: bucketed, random: &random)
      let effect = DesignEffect.forDistribution(histogram, mostClustersOnOneDay: 30, oneValuePerCluster: false)
      let share = Interval.share(atMost: target, HistogramReader(histogram), effect: effect, tail: 0.05)
      if let high = share.high, high < 0.9, share.surelyOutside >= 3 { broken += 1 }
    }
    report("p90, ICC \(likeness)", broken)
    #expect(Double(broken) <= Self.most)
  }

  // 6,000 repetitions: 3.6, 3.2 and 3.6 %.
  @Test("a crash-free share exactly at budget is called broken in at most 5 % of fleets", arguments: [0.0, 0.5, 0.9])
  func crashFree(loop: Double) {
    var random = Seeded(UInt64(loop * 100) + 5)
    var broken = 0
    for _ in 0..<Self.repetitions {
      var moments = PairSum()
      for _ in 0..<1_500 {
        let sessions = 1 + random.poisson(2)
        // Some users crash in a loop: every session of such a day is likely to.
        let rate = random.uniform() < 0.01 ? 0.5 * (1 + loop) : 0.5 * (1 - loop) / 99
        let crashes = (0..<sessions).count { _ in random.uniform() < rate }
        moments.add(x: Int64(crashes), y: Int64(sessions))
      }
      let (k, n) = (Double(moments.x), Double(moments.y))
      let effect = DesignEffect.forRatio(k: k, n: n, moments: moments)
      let bounds = Interval.ratio(k: k, n: n, effect: effect, tail: 0.05)
      let budget = 0.01 * 0.5 * (1 + loop) + 0.99 * 0.5 * (1 - loop) / 99
      if let low = bounds.low, low > budget, k >= 3 { broken += 1 }
    }
    report("crash-free, loop \(loop)", broken)
    #expect(Double(broken) <= Self.most)
  }

  /// 5 % and what chance adds to it once in a thousand runs.
  private static var most: Double {
    let n = Double(repetitions)
    return 0.05 * n + 3.1 * (n * 0.05 * 0.95).squareRoot()
  }

  private func report(_ name: String, _ broken: Int) {
    guard Self.repetitions > 200 else { return }
    print("\(name): broken in \(broken) of \(Self.repetitions)")
  }
}

import Analysis
import Core
import Foundation
import Storage

/// Two releases, 4.1.0 and 4.2.0, and the results of comparing them.
public struct ComparisonScenario: Sendable {
  /// The fleet's description: `100 phones, 5 days`.
  public var who: String
  public var fleet: Fleet
  /// The budgets. They determine the percentile to compare, and whether a worse value stops a release.
  public var budgets: [String]

  public init(_ who: String, _ fleet: Fleet, budgets: [String] = ComparisonScenario.usualBudgets) {
    (self.who, self.fleet, self.budgets) = (who, fleet, budgets)
    if self.fleet.releases.count < 2 { self.fleet.releases.append(Fleet.Release("4.2.0")) }
  }

  public static let usualBudgets = [
    "p90 launch.first_draw <= 2 s", "hang.rate <= 5 s/h", "sessions.crash_free >= 99.5 %",
    "users.crash_free_daily >= 99 %",
  ]

  /// The results for all pairs.
  public struct Counts: Sendable {
    public var pairs = 0
    /// The number of pairs in which any metric was better or worse.
    public var called = 0
    /// The number of pairs that would stop the release: exit code 2.
    public var stopped = 0
    /// The number of pairs with exit code 1 or 2 for a reason other than lack of data.
    public var warned = 0
    /// The number of pairs in which a metric was worse, by metric.
    public var worse: [String: Int] = [:]
    public var better: [String: Int] = [:]
    public var same: [String: Int] = [:]
    public var heterogeneous: [String: Int] = [:]
    public var worseClass: [String: Int] = [:]
    /// The number of intervals of a difference, and of those that contain the given truth.
    public var intervals: [String: Int] = [:]
    public var covered: [String: Int] = [:]

    public init() {}
  }

  /// Plays `pairs` pairs with seeds that follow `seed`. `truth`: true differences on the reported scale, for coverage.
  public func play(_ pairs: Int, seed: UInt64, truth: [String: Double] = [:]) throws -> Counts {
    let lines = budgets.map { "  - \"\($0)\"\n" }.joined()
    let parsed = try BudgetFile.parse("budgets:\n" + lines, fileName: "budgets.yaml").budgets
    return try Parallel.sum(pairs, seed: seed) { random in
      let reader = HealthReader(store: fleet.play(&random), budgets: parsed)
      let now = Timestamp(milliseconds: Int64(FleetStore.firstDay.number + fleet.days) * 86_400_000)
      let comparison = try reader.compare(
        FleetStore.app, base: fleet.releases[0].name, head: fleet.releases[1].name, now: now)
      return counts(comparison, truth)
    } adding: { sum, own in
      sum.pairs += own.pairs
      sum.called += own.called
      sum.stopped += own.stopped
      sum.warned += own.warned
      for path in [
        \Counts.worse, \.better, \.same, \.heterogeneous, \.worseClass, \.intervals, \.covered,
      ] { sum[keyPath: path].merge(own[keyPath: path], uniquingKeysWith: +) }
    } from: {
      Counts()
    }
  }

  private func counts(_ comparison: ReleaseComparison, _ truth: [String: Double]) -> Counts {
    var counts = Counts()
    counts.pairs = 1
    counts.stopped = comparison.outcome == .worse ? 1 : 0
    for metric in comparison.metrics {
      let name = metric.name
      switch metric.verdict {
      case .worse: counts.worse[name] = 1
      case .better: counts.better[name] = 1
      case .noDifferenceShown: counts.same[name] = 1
      case .notEnoughData: break
      }
      if metric.isHeterogeneous { counts.heterogeneous[name] = 1 }
      if metric.worseClass != nil { counts.worseClass[name] = 1 }
      if let difference = metric.difference, let truth = truth[name] {
        counts.intervals[name] = 1
        counts.covered[name] = difference.low <= truth && truth <= difference.high ? 1 : 0
      }
    }
    counts.called = counts.worse.isEmpty && counts.better.isEmpty ? 0 : 1
    counts.warned = counts.worse.isEmpty && counts.worseClass.isEmpty ? 0 : 1
    return counts
  }
}

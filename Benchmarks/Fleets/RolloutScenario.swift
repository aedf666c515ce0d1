import Analysis
import Core
import Foundation
import Storage

/// The results of looking at a rollout every day.
public struct RolloutScenario: Sendable {
  private let fleet: RolloutFleet
  private let budgets: [String]

  public init(_ fleet: RolloutFleet, budgets: [String] = ComparisonScenario.usualBudgets) {
    (self.fleet, self.budgets) = (fleet, budgets)
  }

  /// The results for all fleets.
  public struct Counts: Sendable {
    public var fleets = 0
    /// The number of fleets that `rollout` halted at some look.
    public var halted = 0
    /// The first day of each halt, from 1.
    public var days: [Int] = []
    /// The number of fleets that `compare` stopped (exit code 2) at one of seven looks.
    public var stopped = 0
    /// The number of halts by metric.
    public var metrics: [String: Int] = [:]

    public init() {}
  }

  /// The days on which `compare` is asked.
  private static let comparedDays = 7

  /// Plays fleets with seeds that follow `seed`.
  public func play(_ fleets: Int, seed: UInt64, compares: Bool = true) throws -> Counts {
    let lines = budgets.map { "  - \"\($0)\"\n" }.joined()
    let parsed = try BudgetFile.parse("budgets:\n" + lines, fileName: "budgets.yaml").budgets
    return try Parallel.sum(fleets, seed: seed) { random in
      var counts = Counts()
      counts.fleets = 1
      let reader = HealthReader(store: fleet.play(&random), budgets: parsed)
      for day in 0..<fleet.days {
        var query = ReportQuery()
        query.to = fleet.firstDay + day
        let now = Timestamp(milliseconds: Int64(fleet.firstDay.number + day + 1) * 86_400_000)
        if counts.halted == 0 {
          let report = try? reader.rollout(
            FleetStore.app, release: RolloutFleet.head, base: RolloutFleet.base, query, now: now)
          if let report, report.verdict == .halt {
            counts.halted = 1
            counts.days = [day + 1]
            for vital in report.worse { counts.metrics[vital.name, default: 0] += 1 }
          }
        }
        if compares, day < Self.comparedDays, counts.stopped == 0 {
          let comparison = try? reader.compare(
            FleetStore.app, base: RolloutFleet.base, head: RolloutFleet.head, query, now: now)
          if let comparison, comparison.outcome == .worse {
            counts.stopped = 1
            for metric in comparison.metrics where metric.severity == .worse {
              counts.metrics["compare " + metric.name, default: 0] += 1
            }
          }
        }
      }
      return counts
    } adding: { sum, own in
      sum.fleets += own.fleets
      sum.halted += own.halted
      sum.days += own.days
      sum.stopped += own.stopped
      sum.metrics.merge(own.metrics, uniquingKeysWith: +)
    } from: {
      Counts()
    }
  }
}

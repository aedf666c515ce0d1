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
    /// The vitals that stated when they would be known, and those that were known within the stated days.
    public var waits = 0
    public var waitsKept = 0
    /// The forecasts, and those whose interval contains the crash-free share a week later.
    public var forecasts = 0
    public var forecastsKept = 0

    public init() {}
  }

  /// The days on which `compare` is asked.
  private static let comparedDays = 7

  /// Plays fleets with seeds that follow `seed`.
  ///
  /// - Parameter foretells: whether to check what the first days say about later ones.
  public func play(_ fleets: Int, seed: UInt64, compares: Bool = true, foretells: Bool = false) throws -> Counts {
    let lines = budgets.map { "  - \"\($0)\"\n" }.joined()
    let parsed = try BudgetFile.parse("budgets:\n" + lines, fileName: "budgets.yaml").budgets
    return try Parallel.sum(fleets, seed: seed) { random in
      var counts = Counts()
      counts.fleets = 1
      let store = fleet.play(&random)
      let reader = HealthReader(store: store, budgets: parsed)
      var looks: [RolloutReport?] = []
      for day in 0..<fleet.days {
        var query = ReportQuery()
        query.to = fleet.firstDay + day
        let now = Timestamp(milliseconds: Int64(fleet.firstDay.number + day + 1) * 86_400_000)
        if counts.halted == 0 || foretells {
          let report = try? reader.rollout(
            FleetStore.app, release: RolloutFleet.head, base: RolloutFleet.base, query, now: now)
          looks.append(report)
          if counts.halted == 0, let report, report.verdict == .halt {
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
      if foretells { foretell(looks, store, &counts) }
      return counts
    } adding: { sum, own in
      sum.fleets += own.fleets
      sum.halted += own.halted
      sum.days += own.days
      sum.stopped += own.stopped
      sum.metrics.merge(own.metrics, uniquingKeysWith: +)
      sum.waits += own.waits
      sum.waitsKept += own.waitsKept
      sum.forecasts += own.forecasts
      sum.forecastsKept += own.forecastsKept
    } from: {
      Counts()
    }
  }

  /// Plays fleets and looks with `rollout` every few minutes: the number of fleets that were ever halted.
  public func play(_ fleets: Int, seed: UInt64, minutes: Int) throws -> Counts {
    let lines = budgets.map { "  - \"\($0)\"\n" }.joined()
    let parsed = try BudgetFile.parse("budgets:\n" + lines, fileName: "budgets.yaml").budgets
    return try Parallel.sum(fleets, seed: seed) { random in
      var counts = Counts()
      counts.fleets = 1
      var parts = fleet.parts(&random)[...]
      let store = FleetStore()
      let reader = HealthReader(store: store, budgets: parsed)
      let begin = fleet.daysBefore * 1440
      for minute in stride(from: begin + minutes, through: begin + fleet.days * 1440, by: minutes) {
        while let part = parts.first, part.minute < minute { store.merge(parts.removeFirst().data) }
        var query = ReportQuery()
        query.to = FleetStore.firstDay + (minute - 1) / 1440
        let now = Timestamp(milliseconds: Int64(FleetStore.firstDay.number * 1440 + minute) * 60_000)
        let report = try? reader.rollout(
          FleetStore.app, release: RolloutFleet.head, base: RolloutFleet.base, query, now: now)
        guard let report, report.verdict == .halt else { continue }
        counts.halted = 1
        counts.days = [(minute - 1 - begin) / 1440 + 1]
        break
      }
      return counts
    } adding: { sum, own in
      sum.fleets += own.fleets
      sum.halted += own.halted
      sum.days += own.days
    } from: {
      Counts()
    }
  }

  /// Checks the times and the forecasts of the first week.
  private func foretell(_ looks: [RolloutReport?], _ store: FleetStore, _ counts: inout Counts) {
    for (index, look) in looks.enumerated().prefix(6) {
      for vital in look?.vitals ?? [] {
        guard let wait = vital.wait else { continue }
        counts.waits += 1
        let known = looks.indices.first { later in
          later > index && looks[later]?.vitals.contains { $0.name == vital.name && $0.wait == nil } == true
        }
        let days = known.map { $0 - index }
        // A vital that is not known in the end was to be known later, if the range reaches beyond the last look.
        let isKept = days.map { wait.low <= $0 && $0 <= wait.high } ?? (index + wait.high > looks.count - 1)
        counts.waitsKept += isKept ? 1 : 0
      }
      guard let forecast = look?.forecast?.crashFree, let low = forecast.low, let high = forecast.high,
        let later = store.crashFree(on: fleet.firstDay + index + 7)
      else { continue }
      counts.forecasts += 1
      counts.forecastsKept += low <= later && later <= high ? 1 : 0
    }
  }
}

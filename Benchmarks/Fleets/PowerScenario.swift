import Analysis
import Core
import Foundation
import Storage
import TestSupport

/// How often `compare` and a test that knows every phone call the newer of two releases worse.
public struct PowerScenario: Sendable {
  public var fleet: PowerFleet

  public init(_ fleet: PowerFleet) { self.fleet = fleet }

  public struct Counts: Sendable {
    public var fleets = 0
    /// The fleets in which `compare` calls the vital worse.
    public var worse = 0
    /// The fleets in which it calls the vital better.
    public var better = 0
    /// The fleets in which the p-value of the vital is below 5 %, and those of them in which it became worse. A verdict
    /// also needs that the p-values of the fleet's other metrics do not speak against it.
    public var significant = 0
    public var significantWorse = 0
    /// The same two numbers for the reference test.
    public var referenceWorse = 0
    public var referenceSignificant = 0

    public init() {}
  }

  /// Plays `count` fleets with seeds that follow `seed`, each with one look after its last day.
  public func play(_ count: Int, seed: UInt64) throws -> Counts {
    let lines = ComparisonScenario.usualBudgets.map { "  - \"\($0)\"\n" }.joined()
    let budgets = try BudgetFile.parse("budgets:\n" + lines, fileName: "budgets.yaml").budgets
    return try Parallel.sum(count, seed: seed) { random in
      let (store, phones) = fleet.play(&random)
      let reader = HealthReader(store: store, budgets: budgets)
      let now = Timestamp(milliseconds: Int64(FleetStore.firstDay.number + fleet.days) * 86_400_000)
      let comparison = try reader.compare(
        FleetStore.app, base: PowerFleet.names.base, head: PowerFleet.names.head, now: now)
      let reference = ReferenceTest(phones, &random)
      var counts = Counts()
      counts.fleets = 1
      if let found = comparison.metrics.first(where: { $0.name == fleet.vital.rawValue }) {
        counts.worse = found.verdict == .worse ? 1 : 0
        counts.better = found.verdict == .better ? 1 : 0
        // The interval of 95 % excludes zero if and only if the p-value is below 5 %.
        if let difference = found.difference, difference.low > 0 || difference.high < 0 {
          counts.significant = 1
          counts.significantWorse = (difference.low > 0) == (fleet.vital != .crashes) ? 1 : 0
        }
      }
      counts.referenceSignificant = reference.pValue < Self.level ? 1 : 0
      counts.referenceWorse = reference.isWorse ? counts.referenceSignificant : 0
      return counts
    } adding: { sum, own in
      sum.fleets += own.fleets
      sum.worse += own.worse
      sum.better += own.better
      sum.significant += own.significant
      sum.significantWorse += own.significantWorse
      sum.referenceWorse += own.referenceWorse
      sum.referenceSignificant += own.referenceSignificant
    } from: {
      Counts()
    }
  }

  private static let level = 0.05
}

import Analysis
import Core
import Foundation
import Storage
import TestSupport

/// A fleet exactly at its budgets. Intervals and verdicts about it are right or wrong.
public struct BudgetScenario: Sendable {
  /// The fleet's description: `100 phones, 7 days, CV 1`.
  public var who: String
  public var fleet: Fleet
  public var claims: [Claim]

  public struct Claim: Sendable {
    /// A budget, such as `p90 launch.first_draw <= 2000 ms`.
    public var budget: String
    /// The true value, in the metric's unit.
    public var truth: Double

    public init(_ budget: String, truth: Double) { (self.budget, self.truth) = (budget, truth) }
  }

  public init(_ who: String, _ fleet: Fleet, _ claims: [Claim]) {
    (self.who, self.fleet, self.claims) = (who, fleet, claims)
  }

  /// The results for one claim in all fleets.
  public struct Counts: Sendable {
    public var fleets = 0
    /// The number of intervals, and of those that contain the truth.
    public var intervals = 0
    public var covered = 0
    public var broken = 0
    public var within = 0
    public var warning = 0

    public init() {}

    mutating func add(_ other: Counts) {
      fleets += other.fleets
      intervals += other.intervals
      covered += other.covered
      broken += other.broken
      within += other.within
      warning += other.warning
    }
  }

  /// Plays `fleets` fleets with seeds that follow `seed` and counts by claim.
  public func play(_ fleets: Int, seed: UInt64) throws -> [Counts] {
    let lines = claims.map { "  - \"\($0.budget)\"\n" }.joined()
    let budgets = try BudgetFile.parse("budgets:\n" + lines, fileName: "budgets.yaml").budgets
    return try Parallel.sum(fleets, seed: seed) { random in
      let reader = HealthReader(store: fleet.play(&random), budgets: budgets)
      let now = Timestamp(milliseconds: Int64(FleetStore.firstDay.number + fleet.days) * 86_400_000)
      let results = try reader.report(FleetStore.app, .init(), now: now).budgets
      return claims.indices.map { index in
        results.first { $0.budget == claims[index].budget }.map { counts($0, claims[index].truth) } ?? Counts()
      }
    } adding: { sum, own in
      for index in own.indices { sum[index].add(own[index]) }
    } from: {
      claims.map { _ in Counts() }
    }
  }

  private func counts(_ result: BudgetResult, _ truth: Double) -> Counts {
    var counts = Counts()
    counts.fleets = 1
    counts.broken = result.verdict == .broken ? 1 : 0
    counts.within = result.verdict == .within ? 1 : 0
    counts.warning = result.verdict == .warning ? 1 : 0
    guard result.low != nil || result.high != nil else { return counts }
    counts.intervals = 1
    counts.covered = (result.low ?? -.infinity) <= truth && truth <= (result.high ?? .infinity) ? 1 : 0
    return counts
  }
}

/// Plays on all cores. The same seeds give the same counts.
enum Parallel {
  static func sum<Part: Sendable>(
    _ times: Int, seed: UInt64, play: @Sendable (inout SeededRandom) throws -> Part,
    adding: (inout Part, Part) -> Void, from start: () -> Part
  ) throws -> Part {
    let results = Results<Part>(times)
    DispatchQueue.concurrentPerform(iterations: times) { number in
      var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(number))
      // Each fleet has its own stream, because neighbouring seeds of this generator overlap after one step.
      _ = (0..<4).map { _ in random = SeededRandom(seed: random.next()) }
      results.set(number, Result { try play(&random) })
    }
    var total = start()
    for result in results.all { adding(&total, try result.get()) }
    return total
  }
}

/// Results in the order of their seeds.
private final class Results<Part: Sendable>: @unchecked Sendable {
  // Invariant: `values` is used only with `lock` held.
  private var values: [Result<Part, any Error>?]
  private let lock = NSLock()

  init(_ count: Int) { values = .init(repeating: nil, count: count) }

  func set(_ number: Int, _ result: Result<Part, any Error>) { lock.withLock { values[number] = result } }

  var all: [Result<Part, any Error>] { lock.withLock { values.compactMap { $0 } } }
}

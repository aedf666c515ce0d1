import Foundation
import TestSupport
import Testing

@testable import Statistics

/// The share of a young day's events that is known, against a known distribution of delays.
@Suite("Reporting delays")
struct ReportingDelayTests {
  private static let bounds: [Double] = Array(0...48).map(Double.init) + [72, 96, 168, 336]

  /// The chance that an event is known at an age of its day in hours: uniform over the day, then exponential.
  private static func truth(_ age: Double, mean: Double) -> Double {
    let end = min(age, 24)
    return (end - mean * (exp((end - age) / mean) - exp(-age / mean))) / 24
  }

  private static func day(
    events: Int, age: Double, mean: Double, _ random: inout SeededRandom
  ) -> ReportingDelay.Day {
    var counts = [Double](repeating: 0, count: bounds.count - 1)
    for _ in 0..<events {
      let known = 24 * random.uniform() - mean * log(max(random.uniform(), 1e-12))
      guard known < age, let step = bounds.firstIndex(where: { $0 > known }), step > 0 else { continue }
      counts[step - 1] += 1
    }
    return ReportingDelay.Day(counts: counts, age: age)
  }

  @Test("the known share is that of the delays, learned from days of which half are still young")
  func share() throws {
    var random = SeededRandom(seed: 1)
    let days = (1...28).map { Self.day(events: 4_000, age: Double($0) * 24 + 7, mean: 20, &random) }
    let delay = try #require(ReportingDelay(days, bounds: Self.bounds))
    for age in [5.0, 11, 24, 31, 47, 60, 100] {
      let known = delay.known(atAge: age)
      let truth = Self.truth(age, mean: 20)
      #expect(abs(known.share - truth) < 0.02, "\(age) hours: \(known.share) instead of \(truth)")
      #expect(known.variance.squareRoot() < 0.05)
    }
    #expect(delay.known(atAge: 336) == .all)
    #expect(delay.known(atAge: 10_000) == .all)
  }

  @Test("young days count: a delay that became longer a week ago changes the share")
  func young() throws {
    var random = SeededRandom(seed: 2)
    let steady = (1...28).map { Self.day(events: 2_000, age: Double($0) * 24, mean: 5, &random) }
    let slower = (1...28).map { Self.day(events: 2_000, age: Double($0) * 24, mean: $0 < 7 ? 20 : 5, &random) }
    let (before, after) = (
      try #require(ReportingDelay(steady, bounds: Self.bounds)).known(atAge: 24),
      try #require(ReportingDelay(slower, bounds: Self.bounds)).known(atAge: 24)
    )
    #expect(after.share < before.share - 0.02)
  }

  @Test("days that differ make the share uncertain; more days of the same kind make it certain")
  func variance() throws {
    var random = SeededRandom(seed: 3)
    let means = (1...28).map { _ in random.uniform() < 0.5 ? 3.0 : 30 }
    let mixed = zip(1..., means).map { Self.day(events: 3_000, age: Double($0 + 14) * 24, mean: $1, &random) }
    let alike = (1...28).map { Self.day(events: 3_000, age: Double($0 + 14) * 24, mean: 12, &random) }
    let (one, other) = (
      try #require(ReportingDelay(mixed, bounds: Self.bounds)).known(atAge: 24),
      try #require(ReportingDelay(alike, bounds: Self.bounds)).known(atAge: 24)
    )
    // Half the days have 89 %, half 30 %, so that a day differs from the mean by 30 points.
    #expect(abs(one.variance.squareRoot() - 0.5) < 0.15, "\(one)")
    #expect(other.variance.squareRoot() < 0.03, "\(other)")
  }

  @Test("nothing is learned from a few days, a few events or nothing, and hardly anything known is not a share")
  func few() {
    var random = SeededRandom(seed: 4)
    let week = (1...6).map { Self.day(events: 1_000, age: Double($0 + 14) * 24, mean: 5, &random) }
    #expect(ReportingDelay(week, bounds: Self.bounds) == nil)
    let rare = (1...20).map { Self.day(events: $0 == 3 ? 9 : 0, age: Double($0 + 14) * 24, mean: 5, &random) }
    #expect(ReportingDelay(rare, bounds: Self.bounds) == nil)
    #expect(ReportingDelay([], bounds: Self.bounds) == nil)
    #expect(ReportingDelay([.init(counts: [1], age: 400)], bounds: Self.bounds) == nil)
    let full = (1...20).map { Self.day(events: 100, age: Double($0 + 14) * 24, mean: 5, &random) }
    let delay = ReportingDelay(full, bounds: Self.bounds)
    for age in [-1e9, -5, 0, 0.1, 1e9, .nan, .infinity] {
      let share = delay?.known(atAge: age).share ?? 0
      #expect(share > 0 && share <= 1, "\(age)")
    }
    #expect(delay.map { $0.known(atAge: -5).share < 0.001 } == true)
  }
}

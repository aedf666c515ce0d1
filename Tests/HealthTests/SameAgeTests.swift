import Core
import Storage
import Testing
import TestSupport

@testable import Analysis

/// The test at the same age of the update, against `SameAge/same-age.txt`, which `SameAge/make_same_age.py` writes.
struct SameAgeTests {
  private struct Case {
    var ratio: Double
    var effects: (base: Double, head: Double)
    /// The p-value of the score test, and the exact mid-p-value; NaN with a design effect.
    var score: Double
    var exact: Double
    var base: [SessionsByAge] = []
    var head: [SessionsByAge] = []
    var reported: [CalendarDay: Double] = [:]
    var excess: [CalendarDay: Double] = [:]

    init(_ line: Substring) throws {
      let numbers = try line.split(separator: " ").map { try #require(Double($0)) }
      try #require(numbers.count > 5 && (numbers.count - 5).isMultiple(of: 8))
      (ratio, effects, score, exact) = (numbers[0], (numbers[1], numbers[2]), numbers[3], numbers[4])
      for start in stride(from: 5, to: numbers.count, by: 8) {
        let row = numbers[start..<start + 8].map { $0 }
        let isHead = row[0] == 1
        // The base was used on other days, so that a factor of the head's day is not one of the base's.
        let day = CalendarDay(number: 20_000 + Int(row[2]) + (isHead ? 30 : 0))
        let sessions = SessionsByAge(
          release: Release(version: isHead ? "4.2.0" : "4.1.0"), deviceClass: "class \(Int(row[1]))", source: .native,
          day: day, age: try #require(UpdateAge(rawValue: UInt8(row[3]))), sessions: Int64(row[4]),
          crashed: Int64(row[5]))
        if isHead { head.append(sessions) } else { base.append(sessions) }
        reported[day] = row[6]
        if isHead { excess[day] = row[7] }
      }
    }

    var pValue: Double {
      get throws {
        func counts(_ rows: [SessionsByAge], _ effect: Double) throws -> RolloutCounts {
          try #require(RolloutCounts(rows, effect: effect) { reported[$0] ?? 1 })
        }
        let test = RolloutTest(
          base: try counts(base, effects.base), head: try counts(head, effects.head),
          ages: (
            AgedCounts(base, .effect(effects.base)) { reported[$0] ?? 1 },
            AgedCounts(head, .effect(effects.head)) { reported[$0] ?? 1 }
          ), excess: excess)
        return test.sameAgePValue(over: ratio)
      }
    }
  }

  private static var cases: [Case] {
    get throws {
      try Checkout.text("Tests/HealthTests/SameAge/same-age.txt").split(separator: "\n").map { try Case($0) }
    }
  }

  @Test(
    "the p-value at the same age of the update is the score test's, by the moments of SciPy's binomial distribution")
  func score() throws {
    let cases = try Self.cases
    #expect(cases.count == 16)
    for one in cases {
      let value = try one.pValue
      #expect(abs(value - one.score) <= 1e-7 * one.score, "\(value) instead of \(one.score)")
    }
  }

  @Test("the p-value at the same age of the update is at most twice the exact one, and at least half of it")
  func exact() throws {
    for one in try Self.cases where one.exact > 1e-6 {
      let value = try one.pValue
      #expect(one.exact / 2 < value && value < 2 * one.exact, "\(value) instead of \(one.exact)")
    }
  }
}

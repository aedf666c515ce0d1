import Foundation
import TestSupport
import Testing

@testable import Statistics

@Suite("Differences between runs of performance tests")
struct RunDifferenceTests {
  private func difference(
    _ values: [Double?], inHead: [Bool], strata: [Int]? = nil, most: Int = 10_000
  ) -> RunDifference? {
    let assignments = RunAssignments(strata: strata ?? inHead.map { _ in 0 }, inHead: inHead, most: most)
    return RunDifference.of([values], assignments)[0]
  }

  private static let sides = [false, false, false, false, false, true, true, true, true, true]

  // scipy 1.17.1: permutation_test of mean(head) − mean(base) with all assignments. The bounds are the shifts of the
  // head at which its one-sided p-values pass 2.5 %, by bisection.
  @Test("difference, p-value and interval of two samples equal scipy's")
  func scipy() throws {
    let found = try #require(
      difference([0.512, 0.498, 0.530, 0.507, 0.515, 0.525, 0.541, 0.519, 0.552, 0.536], inHead: Self.sides))
    #expect(abs(found.value - 0.0222) < 1e-12)
    #expect(abs(found.pValue - 2.0 / 63) < 1e-12)
    #expect(abs(found.adjustedPValue - found.pValue) < 1e-12, "a series on its own")
    #expect(abs(found.low - 0.004) < 1e-9 && abs(found.high - 0.0415) < 1e-9, "\(found.low) \(found.high)")
    // 3 against 5 runs, of which one assignment is more extreme than none: 2 × 1/56.
    let uneven = try #require(
      difference([10, 12, 11, 13, 15, 14, 16, 12.5], inHead: [false, false, false, true, true, true, true, true]))
    #expect(abs(uneven.value - 3.1) < 1e-12 && abs(uneven.pValue - 2.0 / 56) < 1e-12)
    #expect(uneven.adjustedPValue == uneven.pValue, "one of 56 assignments is as far from 0")
  }

  @Test("strata equal an enumeration of all assignments, whose bits are the head's runs")
  func strata() throws {
    let values = [5.0, 7.5, 6.0, 9.0, 8.0, 105.0, 103.0, 110.0, 109.0, 104.5]
    let inHead = [false, false, true, true, false, false, true, true, false, true]
    let strata = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    func statistic(_ head: [Bool]) -> Double {
      var (sum, weights) = (0.0, 0.0)
      for stratum in 0...1 {
        let own = values.indices.filter { strata[$0] == stratum }
        let (heads, bases) = (own.filter { head[$0] }, own.filter { !head[$0] })
        func mean(_ runs: [Int]) -> Double { runs.reduce(0) { $0 + values[$1] } / Double(runs.count) }
        let weight = 1 / (1 / Double(heads.count) + 1 / Double(bases.count))
        sum += weight * (mean(heads) - mean(bases))
        weights += weight
      }
      return sum / weights
    }
    let all = (0..<1024).map { bits in (0..<10).map { bits >> $0 & 1 == 1 } }.filter { head in
      (0...1).allSatisfy { stratum in
        let own = values.indices.filter { strata[$0] == stratum }
        return own.count { head[$0] } == own.count { inHead[$0] }
      }
    }
    #expect(all.count == 10 * 10)
    let observed = statistic(inHead)
    let above = all.count { statistic($0) >= observed - 1e-9 }
    let below = all.count { statistic($0) <= observed + 1e-9 }
    let found = try #require(difference(values, inHead: inHead, strata: strata))
    #expect(abs(found.value - observed) < 1e-9 && found.strata == 2)
    #expect(abs(found.pValue - 2 * Double(min(above, below)) / 100) < 1e-9)
  }

  @Test("random assignments agree with all of them")
  func random() throws {
    var random = SeededRandom(seed: 4)
    let inHead = (0..<16).map { $0 % 2 == 0 }
    let values: [Double?] = inHead.map { random.normal() + ($0 ? 0.7 : 0) }
    let exact = try #require(difference(values, inHead: inHead, most: 20_000))
    let sampled = try #require(difference(values, inHead: inHead, most: 5_000))
    #expect(RunAssignments(strata: inHead.map { _ in 0 }, inHead: inHead, most: 20_000).count == 12_870)
    #expect(abs(exact.pValue - sampled.pValue) < 0.02 && exact.value == sampled.value)
    #expect(abs(exact.low - sampled.low) < 0.1 && abs(exact.high - sampled.high) < 0.1)
  }

  @Test("few runs have no interval and cannot show a difference, whatever their values")
  func few() throws {
    for (runs, smallest) in [(1, 1.0), (2, 2.0 / 6), (3, 0.1), (4, 2.0 / 70)] {
      let inHead = (0..<2 * runs).map { $0 >= runs }
      let assignments = RunAssignments(strata: inHead.map { _ in 0 }, inHead: inHead, most: 10_000)
      #expect(abs(assignments.smallestPValue - smallest) < 1e-12)
      let found = try #require(RunDifference.of([inHead.map { $0 ? 9 : 1 }], assignments)[0])
      #expect(abs(found.pValue - smallest) < 1e-12 && found.value == 8)
      #expect(found.low.isFinite == (runs == 4) && found.high.isFinite == (runs == 4))
    }
    #expect(RunAssignments.fewestRuns(level: 0.05) == 4 && RunAssignments.fewestRuns(level: 0.001) == 7)
    #expect(difference([1, 2, 3], inHead: [true, true, true]) == nil)
    #expect(difference([1, nil, 3, nil], inHead: [false, true, false, true]) == nil, "only the base has values")
    #expect(difference([1, 5], inHead: [false, true], strata: [0, 1]) == nil, "no machine has both")
    let constant = try #require(difference(Self.sides.map { _ in 3 }, inHead: Self.sides))
    #expect(constant.value == 0 && constant.pValue == 1 && constant.adjustedPValue == 1)
  }

  /// Logarithms of a series on runs that alternate between the sides: noise of the run, an outlier in one of ten runs,
  /// machines of different speed, and a drift.
  private static func course(
    _ random: inout SeededRandom, runs: Int, shift: Double = 0, common: [Double]
  ) -> [Double?] {
    (0..<runs).map { run in
      let outlier = random.uniform() < 0.1 ? 0.3 * random.uniform() : 0
      return 0.2 * Double(run / (runs / 2)) + 0.002 * Double(run) + 0.7 * common[run] + 0.03 * random.normal() + outlier
        + (run % 2 == 1 ? shift : 0)
    }
  }

  @Test(
    "among twenty series of equal builds, any is called different in at most 5 % of comparisons",
    arguments: [8, 12, 20])
  func alike(runs: Int) {
    var random = SeededRandom(seed: UInt64(runs))
    let inHead = (0..<runs).map { $0 % 2 == 1 }
    let assignments = RunAssignments(strata: (0..<runs).map { $0 / (runs / 2) }, inHead: inHead, most: 2_000)
    var (families, singles) = (0, 0)
    let comparisons = 800
    for _ in 0..<comparisons {
      let common = (0..<runs).map { _ in 0.05 * random.normal() }
      let found = RunDifference.of(
        (0..<20).map { _ in Self.course(&random, runs: runs, common: common) }, assignments
      ).compactMap(\.self)
      if found.contains(where: { $0.adjustedPValue <= 0.05 }) { families += 1 }
      singles += found.count { $0.low > 0 || $0.high < 0 }
    }
    // Three standard deviations of a binomial number above 5 %.
    #expect(
      Double(families) <= 0.05 * Double(comparisons) + 3 * (0.0475 * Double(comparisons)).squareRoot(), "\(families)")
    #expect(Double(singles) <= 0.06 * 20 * Double(comparisons), "intervals without 0: \(singles)")
  }

  @Test("a change of three times the noise in one of twenty series is found in most comparisons of ten runs each")
  func power() {
    var random = SeededRandom(seed: 77)
    let inHead = (0..<20).map { $0 % 2 == 1 }
    let assignments = RunAssignments(strata: inHead.map { _ in 0 }, inHead: inHead, most: 4_000)
    var (found, contained) = (0, 0)
    for _ in 0..<200 {
      let series = (0..<20).map { index in
        (0..<20).map { run -> Double? in 0.03 * random.normal() + (index == 7 && run % 2 == 1 ? 0.09 : 0) }
      }
      guard let difference = RunDifference.of(series, assignments)[7] else { continue }
      if difference.adjustedPValue <= 0.05 { found += 1 }
      if difference.low <= 0.09, difference.high >= 0.09 { contained += 1 }
    }
    #expect(found >= 190 && contained >= 180, "\(found) \(contained)")
  }
}

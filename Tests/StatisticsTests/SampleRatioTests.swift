import Foundation
import Testing
import TestSupport

@testable import Statistics

@Suite("The ratio of samples")
struct SampleRatioTests {
  private static func part(_ base: Int, _ head: Int) -> SampleRatioMismatch.Part {
    SampleRatioMismatch.Part(base: Double(base), head: Double(head))
  }

  @Test("a division that is known from literature has its published p-value")
  func published() throws {
    // R. Kohavi et al., "Trustworthy Online Controlled Experiments" (2020): 821,588 and 815,482 users, p = 1.8e-6.
    let pValue = try #require(SampleRatioMismatch.pValue(of: Self.part(821_588, 815_482), split: 0.5))
    #expect(abs(pValue - 1.8e-6) < 0.1e-6)
  }

  @Test("the p-value of a stated split is that of all binomial outcomes, added up")
  func binomial() throws {
    for (base, head, split) in [(30, 50, 0.5), (12, 40, 0.6), (400, 80, 0.2), (55, 45, 0.5)] {
      let n = base + head
      // ln of a binomial coefficient by its factors, so that the reference shares no code.
      func logProbability(_ k: Int) -> Double {
        var sum = 0.0
        for factor in 0..<k { sum += log(Double(n - factor)) - log(Double(factor + 1)) }
        return sum + Double(k) * log(split) + Double(n - k) * log(1 - split)
      }
      let below = (0...head).reduce(0) { $0 + exp(logProbability($1)) }
      let above = (head...n).reduce(0) { $0 + exp(logProbability($1)) }
      let found = try #require(SampleRatioMismatch.pValue(of: Self.part(base, head), split: split))
      #expect(abs(found - min(1, 2 * min(below, above))) < 1e-9, "\(base) \(head)")
    }
  }

  @Test("equal shares are tested by Pearson's χ² of the table")
  func pearson() throws {
    // Three classes: χ² = 12.0 with two degrees of freedom, whose upper tail is exp(−6).
    let parts = [Self.part(60, 40), Self.part(40, 60), Self.part(50, 50)]
    let rows = parts.map { [$0.base, $0.head] }
    let total = 300.0
    var chi = 0.0
    for row in rows {
      for (column, value) in row.enumerated() {
        let expected = 100 * rows.reduce(0) { $0 + $1[column] } / total
        chi += (value - expected) * (value - expected) / expected
      }
    }
    let found = try #require(SampleRatioMismatch.pValue(ofEqualShares: parts))
    #expect(abs(found - exp(-chi / 2)) < 1e-6, "\(found) \(exp(-chi / 2))")
  }

  @Test("too few users have no p-value, and small parts are joined")
  func few() throws {
    #expect(SampleRatioMismatch.pValue(of: Self.part(3, 4), split: 0.5) == nil)
    #expect(SampleRatioMismatch.pValue(ofEqualShares: [Self.part(100, 100)]) == nil)
    #expect(SampleRatioMismatch.pValue(ofEqualShares: [Self.part(100, 100), Self.part(3, 2)]) == nil)
    let joined = SampleRatioMismatch.pValue(ofEqualShares: [Self.part(100, 100), Self.part(15, 2), Self.part(13, 3)])
    let whole = SampleRatioMismatch.pValue(ofEqualShares: [Self.part(100, 100), Self.part(28, 5)])
    #expect(joined != nil && joined == whole)
  }

  @Test("an estimate is doubted less than an exact number, and a wrong division of many users is found")
  func estimates() throws {
    let exact = try #require(SampleRatioMismatch.pValue(of: Self.part(99_000, 101_000), split: 0.5))
    let error = 0.01 * 0.01
    let rough = SampleRatioMismatch.Part(base: 99_000, head: 101_000, baseError: error, headError: error)
    let doubted = try #require(SampleRatioMismatch.pValue(of: rough, split: 0.5))
    #expect(exact < 1e-5 && doubted > 0.1)
    let wrong = SampleRatioMismatch.Part(base: 90_000, head: 110_000, baseError: error, headError: error)
    #expect(try #require(SampleRatioMismatch.pValue(of: wrong, split: 0.5)) < SampleRatioMismatch.level)
  }

  @Test("of comparisons with a correct division, at most 0.3 % are called broken by any of three tests")
  func calibration() throws {
    var random = SeededRandom(seed: 11)
    var alarms = 0
    let rounds = 4_000
    for round in 0..<rounds {
      let split = [0.5, 0.1, 0.3][round % 3]
      // Users of six classes and eight blocks of days; the arm depends on neither.
      var classes = [SampleRatioMismatch.Part](repeating: Self.part(0, 0), count: 6)
      var days = [SampleRatioMismatch.Part](repeating: Self.part(0, 0), count: 8)
      for _ in 0..<600 {
        let (kind, day) = (Int.random(in: 0..<36, using: &random), Int.random(in: 0..<8, using: &random))
        let place = Int(Double(kind).squareRoot())
        if Double.random(in: 0..<1, using: &random) < split {
          classes[place].head += 1
          days[day].head += 1
        } else {
          classes[place].base += 1
          days[day].base += 1
        }
      }
      let pValues = [
        SampleRatioMismatch.pValue(of: SampleRatioMismatch.sum(days), split: split),
        SampleRatioMismatch.pValue(ofEqualShares: classes),
        SampleRatioMismatch.pValue(ofEqualShares: days),
      ]
      if pValues.contains(where: { $0.map { $0 < SampleRatioMismatch.level } ?? false }) { alarms += 1 }
    }
    // 12 are expected at 0.3 %; 24 would have a probability of about 0.1 %.
    #expect(alarms <= 24, "\(alarms) of \(rounds)")
  }
}

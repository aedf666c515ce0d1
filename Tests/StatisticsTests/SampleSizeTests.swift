import Testing

@testable import Statistics

@Suite("Sample sizes of verdicts")
struct SampleSizeTests {
  @Test(
    "the smallest n at which no bad event proves the budget met is found",
    arguments: [(0.005, 598), (0.01, 299), (0.05, 59), (0.1, 29)])
  func few(target: Double, least: Int) throws {
    #expect(SampleSize.few(target: target, tail: 0.05) == least)
    for (n, proves) in [(least - 1, false), (least, true)] {
      let high = Interval.ratio(k: 0, n: Double(n), effect: .none(of: Double(n)), tail: 0.05).high
      #expect((try #require(high) <= target) == proves)
    }
  }

  /// What the bounds on the share of crashed sessions say about a budget of 99.5 % crash-free.
  private func verdict(crashes: Int, of sessions: Int) throws -> String {
    let n = Double(sessions)
    let bounds = Interval.ratio(k: Double(crashes), n: n, effect: .none(of: n), tail: 0.05)
    if try #require(bounds.low) > 0.005, crashes >= 3 { return "broken" }
    if try #require(bounds.high) <= 0.005 { return "within" }
    return sessions < SampleSize.few(target: 0.005, tail: 0.05) ? "few" : "close"
  }

  @Test("20 crashes in 20,000 are within 99.5 %, 1 in 40 too few, 5 in 1,000 too close, 10 in 1,000 broken")
  func examples() throws {
    #expect(try verdict(crashes: 20, of: 20_000) == "within")
    #expect(try verdict(crashes: 1, of: 40) == "few")
    #expect(try verdict(crashes: 5, of: 1_000) == "close")
    #expect(try verdict(crashes: 10, of: 1_000) == "broken")
  }

  /// Verdicts by SciPy: binomtest(5, 1000).proportion_ci(0.9, 'exact') is 0.00197 to 0.01048.
  @Test("a close verdict is given with its bounds: 0.50 %, between 0.20 and 1.05 %")
  func close() throws {
    let bounds = Interval.ratio(k: 5, n: 1_000, effect: .none(of: 1_000), tail: 0.05)
    #expect((try #require(bounds.low) * 10_000).rounded() == 20)
    #expect((try #require(bounds.high) * 10_000).rounded() == 105)
  }

  @Test("the number needed is the first at which a bound separates", arguments: [0.001, 0.004, 0.007, 0.02])
  func needed(observed: Double) throws {
    let needed = try #require(SampleSize.needed(badShare: observed, allowed: 0.005, deff: 1, tail: 0.05))
    func separates(_ n: Int) throws -> Bool {
      let bounds = Interval.ratio(k: observed * Double(n), n: Double(n), effect: .none(of: Double(n)), tail: 0.05)
      if observed < 0.005 { return try #require(bounds.high) <= 0.005 }
      return try #require(bounds.low) > 0.005 && observed * Double(n) >= 3
    }
    #expect(try separates(needed))
    #expect(try !separates(needed - 1))
    let doubled = try #require(SampleSize.needed(badShare: observed, allowed: 0.005, deff: 2, tail: 0.05))
    #expect(doubled > needed && doubled <= 2 * needed)
  }

  @Test("a value that can never be separated needs no number")
  func never() {
    #expect(SampleSize.needed(badShare: 0.005, allowed: 0.005, deff: 1, tail: 0.05) == nil)
    #expect(SampleSize.needed(badShare: .nan, allowed: 0.005, deff: 1, tail: 0.05) == nil)
    #expect(SampleSize.few(target: 0, tail: 0.05) == .max)
    #expect(SampleSize.few(target: 1, tail: 0.05) == 1)
  }
}

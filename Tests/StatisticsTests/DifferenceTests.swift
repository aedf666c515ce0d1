import Foundation
import Testing
import TestSupport

@testable import Statistics

@Suite("Differences between two releases")
struct DifferenceTests {
  private func share(_ k: Double, _ n: Double) -> ShareCount { ShareCount(k: k, n: n, deff: 1) }

  private func table(_ base: ShareCount, _ head: ShareCount) -> Stratum<ShareCount> {
    Stratum(base: base, head: head, baseSize: base.n, headSize: head.n)
  }

  @Test("shares of two independent samples have the interval that Miettinen and Nurminen published")
  func published() throws {
    // R. Newcombe (1998), table II, contrast (a): 56/70 against 48/80, method 4 (Miettinen–Nurminen) 0.0528 to 0.3382.
    let difference = try #require(Difference.shares([table(share(48, 80), share(56, 70))]))
    #expect(abs(difference.value - 0.2) < 1e-9)
    #expect(abs(difference.low - 0.0528) < 5e-4 && abs(difference.high - 0.3382) < 5e-4)
  }

  /// Sums of binomial probabilities, term by term.
  @Test("five events instead of one are not certain, whatever a normal approximation gives")
  func conditional() throws {
    func choose(_ n: Int, _ k: Int) -> Double { (0..<k).reduce(1) { $0 * Double(n - $1) / Double($1 + 1) } }
    func tail(_ k: Int, _ n: Int, _ p: Double) -> Double {
      (k...n).reduce(0) { $0 + choose(n, $1) * pow(p, Double($1)) * pow(1 - p, Double(n - $1)) }
    }
    let (base, head) = (share(12, 6_000), share(5, 400))
    let exact = ShareCount.conditionalPValue(base: base, head: head)
    #expect(abs(exact - 2 * tail(5, 17, 400.0 / 6_400)) < 1e-12)
    #expect(try #require(Difference.shares([table(base, head)])).pValue < 0.001)
    #expect(exact > 0.005)
    #expect(abs(ShareCount.conditionalPValue(base: head, head: base) - exact) < 1e-12)
    #expect(ShareCount.conditionalPValue(base: share(12, 6_000), head: share(30, 400)) < 1e-6)
    #expect(ShareCount.conditionalPValue(base: share(0, 50), head: share(0, 60)) == 1)
  }

  @Test("two shares of zero have no difference, within the limits of such small samples")
  func nothing() throws {
    let difference = try #require(Difference.shares([table(share(0, 100), share(0, 50))]))
    #expect(difference.value == 0 && difference.pValue == 1)
    #expect(difference.low < -0.02 && difference.low > -0.1 && difference.high > 0.02 && difference.high < 0.12)
  }

  @Test("strata with equal shares give no difference, however they are mixed")
  func simpson() throws {
    let strata = [table(share(90, 900), share(10, 100)), table(share(50, 100), share(450, 900))]
    let difference = try #require(Difference.shares(strata))
    #expect(abs(difference.value) < 1e-12 && difference.pValue > 0.99)
    #expect(Difference.shares([]) == nil)
  }

  @Test("the test of no difference equals Cochran, Mantel and Haenszel's, computed separately")
  func mantelHaenszel() throws {
    let cells = [(12.0, 100.0, 25.0, 120.0), (5, 80, 9, 60), (30, 200, 31, 150)]
    let strata = cells.map { table(share($0.0, $0.1), share($0.2, $0.3)) }
    let difference = try #require(Difference.shares(strata))
    var (excess, variance) = (0.0, 0.0)
    for (k, n, otherK, otherN) in cells {
      let (total, events) = (n + otherN, k + otherK)
      excess += otherK - otherN * events / total
      variance += n * otherN * events * (total - events) / (total * total * (total - 1))
    }
    let expected = erfc(abs(excess) / variance.squareRoot() / 2.0.squareRoot())
    #expect(abs(difference.pValue - expected) < 1e-6)
  }

  @Test("a percentile's standard error equals the textbook's on a log-normal sample")
  func standardError() throws {
    var random = SeededRandom(seed: 3)
    let values = (0..<20_000).map { _ in exp(6 + 0.4 * random.normal()) }
    let reader = HistogramReader(Histogram(values))
    let effect = DesignEffect.none(of: 20_000)
    let estimate = try #require(ComparableEstimate.quantile(0.9, of: reader, effect: effect))
    // sqrt(p(1-p)/n) / f, on the log scale, f the normal density at its 90th percentile.
    let expected = 0.4 * (0.09 / 20_000).squareRoot() / 0.175_498
    #expect(abs(estimate.below.squareRoot() / expected - 1) < 0.35)
    #expect(abs(estimate.value - (6 + 0.4 * 1.281_552)) < 0.03)
  }

  @Test("device classes differ beyond chance if Cochran's Q exceeds χ² with one degree of freedom less")
  func heterogeneity() {
    func difference(_ value: Double) -> Difference {
      Difference(
        value: value, low: value - 1, high: value + 1, pValue: 1, baseVariance: 0.5, headVariance: 0.5, strata: 1)
    }
    // Q of 0 and d with variance 1 is d²/2; of −d, 0 and d it is 2d². χ² tables: 3.841459 and 5.991465 at 5 %.
    let two = Heterogeneity.pValue([difference(0), difference((2 * 3.841459).squareRoot())])
    let three = [-1.0, 0, 1].map { difference($0 * (5.991465 / 2).squareRoot()) }
    #expect(abs(two - 0.05) < 1e-6 && abs(Heterogeneity.pValue(three) - 0.05) < 1e-6)
    #expect(Heterogeneity.pValue([difference(3)]) == 1)
  }

  @Test("values in one bucket may differ by its whole width in either direction")
  func oneBucket() throws {
    var histogram = Histogram(scheme: .logarithmic)
    for _ in 0..<200 {
      var payload = ClusterSum()
      histogram.insertSpan(low: 100, high: 1_000, count: 5, stepsPerUnit: 1, into: &payload)
      histogram.close(payload)
    }
    let reader = HistogramReader(histogram)
    let effect = DesignEffect.none(of: 1_000)
    let side = try #require(ComparableEstimate.quantile(0.5, of: reader, effect: effect))
    let difference = try #require(Difference.of([Stratum(base: side, head: side, weight: 1)]))
    #expect(abs(difference.low + log(10)) < 0.1 && abs(difference.high - log(10)) < 0.1 && difference.pValue == 1)
  }

  @Test("buckets widen each bound of a difference by the part that separates the sides in that direction")
  func placement() throws {
    func side(_ value: Double, below: Double = 0, above: Double = 0) -> ComparableEstimate {
      var estimate = ComparableEstimate(value: value, variance: 0.01, freedom: .infinity)
      estimate.placement = .init(below: below, above: above)
      return estimate
    }
    func difference(_ base: ComparableEstimate, _ head: ComparableEstimate) throws -> Difference {
      try #require(Difference.of([Stratum(base: base, head: head, weight: 1)]))
    }
    let exact = try difference(side(0), side(1))
    let coarse = try difference(side(0, below: 0.1, above: 0.2), side(1, below: 0.3, above: 0.6))
    // Down: the head's 0.3 and the base's 0.2 above. Up: the head's 0.6 and the base's 0.1 below.
    #expect(abs(exact.low - coarse.low - 0.5) < 1e-12 && abs(coarse.high - exact.high - 0.7) < 1e-12)
  }

  @Test("two releases on the same days are equal, however differently the days are used")
  func days() throws {
    // Every day has its own speed; on each day both releases have the same values.
    func parts(_ counts: [Int]) -> [SamplePart] {
      zip(counts, [1.0, 1.5]).map { count, speed in
        let values = (0..<count).map { speed * 100 * exp(0.3 * (Double($0) + 0.5) / Double(count)) }
        return SamplePart(reader: HistogramReader(Histogram(values)), effect: .none(of: Double(count)))
      }
    }
    let (base, head) = (parts([900, 100]), parts([100, 900]))
    let weights = zip(base, head).map { $0.effect.nEffective * $1.effect.nEffective / 1_000 }
    let one = try #require(ComparableEstimate.quantile(0.3, of: base, weights: weights))
    let other = try #require(ComparableEstimate.quantile(0.3, of: head, weights: weights))
    #expect(abs(one.value - other.value) < 0.011)
    let means = (
      try #require(ComparableEstimate.mean(of: base, weights: weights)),
      try #require(ComparableEstimate.mean(of: head, weights: weights))
    )
    #expect(abs(means.0.value - means.1.value) < 0.011)
    // As they come, the head is half as slow again.
    let plain = [base, head].map { parts in parts.reduce(0.0) { $0 + Double($1.reader.count) * ($1.reader.mean ?? 0) } }
    #expect(plain[1] / plain[0] > 1.3)
  }

  @Test("Benjamini and Hochberg's own example rejects the four smallest of fifteen")
  func falseDiscovery() {
    // Y. Benjamini and Y. Hochberg (1995), section 4.
    let pValues = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
      1.0,
    ]
    let rejected = FalseDiscovery.rejected(pValues.reversed() + [nil], rate: 0.05)
    #expect(rejected.count { $0 } == 4 && rejected.suffix(5).prefix(4).allSatisfy { $0 } && rejected.last == false)
    #expect(FalseDiscovery.rejected([nil, nil], rate: 0.05) == [false, false])
    // One hypothesis alone is rejected at the rate itself.
    #expect(FalseDiscovery.rejected([0.05, nil], rate: 0.05) == [true, false])
    #expect(FalseDiscovery.rejected([0.051], rate: 0.05) == [false])
  }

  @Test("the stated additional size of the head makes the interval narrow enough")
  func growth() throws {
    func difference(_ times: Double) -> Difference? {
      let one = ComparableEstimate(value: 0, variance: 0.0002, freedom: 1e6)
      let other = ComparableEstimate(value: 0.02, variance: 0.004 / times, freedom: 1e6)
      return .of([Stratum(base: one, head: other, baseSize: 100, headSize: 100)])
    }
    let first = try #require(difference(1))
    let times = try #require(SampleSize.growth(of: first, margin: 0.1, reach: 1.96))
    #expect(!first.lies(within: 0.1) && difference(times * 1.01)?.lies(within: 0.1) == true)
    #expect(difference(times * 0.97)?.lies(within: 0.1) == false)
    // A base that alone leaves more open than the margin.
    #expect(SampleSize.growth(of: first, margin: 0.021, reach: 1.96) == nil)
  }
}

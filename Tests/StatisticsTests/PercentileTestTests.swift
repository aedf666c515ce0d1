import Foundation
import Testing
import TestSupport

@testable import Statistics

@Suite("The test for equal percentiles")
struct PercentileTestTests {
  /// Values in buckets, as independent launches of one device class on one day.
  private func part(_ buckets: [(low: Double, high: Double, count: Int)]) -> SamplePart {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    for (low, high, count) in buckets where count > 0 {
      histogram.insertSpan(low: low, high: high, count: count, stepsPerUnit: 1_000, into: &payload)
    }
    histogram.close(payload)
    return SamplePart(reader: HistogramReader(histogram), effect: .none(of: Double(histogram.count)))
  }

  private func test(_ p: Double, _ base: SamplePart, _ head: SamplePart) -> PercentileTest? {
    PercentileTest(p, [ClassSample(base: [base], head: [head], weights: [1])])
  }

  @Test("with one class and an edge at the percentile, it is the test of two shares")
  func shares() throws {
    let base = part([(0, 100, 450), (100, 400, 50)])
    let head = part([(0, 100, 430), (100, 400, 70)])
    let found = try #require(test(0.88, base, head))
    // The score test of 50 and 70 of 500 each: z² = (N − 1)(ad − bc)²/(row and column totals).
    let z = ((999.0) * pow(50 * 430 - 70 * 450, 2) / (500.0 * 500 * 120 * 880)).squareRoot()
    #expect(abs(found.pValue - erfc(z / 2.0.squareRoot())) < 0.002)
    #expect(found.isMore)
  }

  @Test("a percentile far from every edge is not tested, nor is a sample without values")
  func farEdges() {
    let wide = part([(0, 1_000, 980), (1_000, 2_000, 20)])
    #expect(test(0.9, wide, wide) == nil)
    #expect(test(0.97, wide, wide)?.pValue == 1)
    #expect(PercentileTest(0.9, []) == nil)
    #expect(test(0.9, part([]), wide) == nil)
  }

  @Test("equal releases differ in about one test of twenty, however wide the buckets", arguments: [10.0, 100, 250])
  func level(width: Double) {
    var random = SeededRandom(seed: 11)
    func sample() -> SamplePart {
      var counts: [Double: Int] = [:]
      for _ in 0..<300 {
        counts[(800 * exp(0.4 * random.normal()) / width).rounded(.down) * width, default: 0] += 1
      }
      return part(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.key + width, $0.value) })
    }
    // With the widest buckets, a sample's percentile may be too far from every edge to be tested.
    let rejected = (0..<500).count { _ in (test(0.9, sample(), sample())?.pValue ?? 1) < 0.05 }
    #expect((10...40).contains(rejected), "\(rejected) of 500")
  }

  @Test("a difference and its interval follow the test's p-value")
  func interval() throws {
    func difference(_ value: Double) throws -> Difference {
      func side(_ value: Double) -> ComparableEstimate { .init(value: value, variance: 0.005, freedom: .infinity) }
      return try #require(Difference.of([Stratum(base: side(0), head: side(value), weight: 1)]))
    }
    let (base, more) = (part([(0, 100, 900), (100, 400, 100)]), part([(0, 100, 800), (100, 400, 200)]))
    let certain = try #require(test(0.86, base, more))
    // The interval of ±0.196 contains zero; the test excludes it.
    let found = try difference(0.15).tested(by: certain)
    #expect(found.pValue == certain.pValue && found.pValue < 0.001 && found.low > 0 && found.low < 0.15)
    #expect(try difference(0.15).high == found.high)
    #expect(try difference(0.3).tested(by: certain).low == difference(0.3).low)
    let unsure = try difference(0.3).tested(by: #require(test(0.9, base, base)))
    #expect(unsure.pValue == 1 && unsure.low < 0)
    #expect(try difference(-0.15).tested(by: certain).pValue == 1)
  }

  @Test("the correlation of being above the median is Sheppard's, and smaller in the tail")
  func correlation() {
    for values in [0.05, 0.2, 0.5, 0.8] {
      // W. Sheppard (1899): two normal values with correlation r are on the same side of their medians with probability
      // 1/2 + asin(r)/π.
      let found = IntraclassCorrelation.ofNormalShare(above: 0.5, values: values)
      #expect(abs(found - 2 / .pi * asin(values)) < 0.001)
      #expect(IntraclassCorrelation.ofNormalShare(above: 0.9, values: values) < found)
    }
    #expect(IntraclassCorrelation.ofNormalShare(above: 0.9, values: 0) == 0)
    #expect(IntraclassCorrelation.ofNormalShare(above: 0.9, values: 1) <= 1)
    #expect(IntraclassCorrelation.ofNormalShare(above: 1, values: 0.5) == 0)
  }
}

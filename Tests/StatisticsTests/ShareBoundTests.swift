import Foundation
import Testing

@testable import Statistics

@Suite("Shares of buckets")
struct ShareBoundTests {
  @Test("a bucket that contains the target favours neither bound")
  func bucket() throws {
    var histogram = Histogram(scheme: .logarithmic)
    var cluster = ClusterSum()
    // 60 values that are below 100, 40 that lie anywhere from 100 to 300.
    histogram.insertSpan(low: 50, high: 90, count: 60, stepsPerUnit: 1000, into: &cluster)
    histogram.insertSpan(low: 100, high: 300, count: 40, stepsPerUnit: 1000, into: &cluster)
    histogram.close(cluster)
    let reader = HistogramReader(histogram, stepsPerUnit: 1000)
    let share = Interval.share(atMost: 200, reader, effect: DesignEffect.none(of: 100), tail: 0.05)
    #expect(share.fewest == 60 && share.most == 100)
    let value = try #require(share.value)
    #expect(value > 0.6 && value < 1)
    // Clopper–Pearson, one-sided 95 %: 60 of 100 from below, 100 of 100 from above.
    #expect(abs(try #require(share.low) - 0.5129758202538943) < 1e-9)
    #expect(share.high == 1)
  }

}

@Suite("Limits on the size of a distribution")
struct DistributionBoundTests {
  @Test("beyond 2,048 bins neighbours are joined, without loss of values and with close percentiles")
  func bins() throws {
    var histogram = Histogram(scheme: .logarithmic)
    var cluster = ClusterSum()
    // Every bin of 200 doublings, one value each.
    for number in 0..<12_800 {
      histogram.insert(
        BinScheme.logarithmic.value(of: Int32(number - 6_400)), stepsPerUnit: 1, into: &cluster)
    }
    histogram.close(cluster)
    #expect(histogram.partCount <= 2_048 && histogram.partCount > 500)
    #expect(histogram.count == 12_800 && histogram.isEstimated)
    let reader = HistogramReader(histogram, stepsPerUnit: 1)
    let quarter = try #require(reader.quantile(0.25)).value
    // The true quartile is 2^-50; joined bins are at most 16 wide here, a quarter of a doubling.
    #expect(abs(log2(quarter) + 50) < 0.25)
  }

  @Test("typical measurements are never joined: thirty doublings with all their bins")
  func honest() {
    var histogram = Histogram(scheme: .logarithmic)
    var cluster = ClusterSum()
    for number in 0..<1_920 {
      histogram.insert(BinScheme.logarithmic.value(of: Int32(number)), stepsPerUnit: 1, into: &cluster)
    }
    #expect(histogram.partCount == 1_920 && !histogram.isEstimated)
  }

  @Test("bounds on a share of huge counts are fast and never too narrow")
  func largeCounts() throws {
    func bounds(_ n: Double) throws -> (low: Double, high: Double) {
      let bounds = Interval.ratio(k: n / 2, n: n, effect: DesignEffect.none(of: n), tail: 0.025)
      return (try #require(bounds.low), try #require(bounds.high))
    }
    let few = try bounds(1e8)
    for n in [1e9, 1e12, 1e15, 9e18] {
      let bounds = try bounds(n)
      #expect(abs(bounds.low - few.low) < 1e-6 && abs(bounds.high - few.high) < 1e-6)
      #expect(bounds.low < 0.5 && bounds.high > 0.5)
    }
    #expect(SampleSize.few(quantile: 0.9, tail: 1e-12) > 0)
  }
}

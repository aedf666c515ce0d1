import Foundation
import Testing

@testable import Statistics

@Suite("Intervals")
struct IntervalTests {
  @Test("bounds on a share are Clopper and Pearson's")
  func ratio() throws {
    for row in ScipyReference.clopperPearson {
      let bounds = Interval.ratio(k: row[0], n: row[1], effect: .none(of: row[1]), tail: row[2])
      #expect(abs(try #require(bounds.low) - row[3]) <= 1e-9 * max(row[3], 1e-3), "\(row)")
      #expect(abs(try #require(bounds.high) - row[4]) <= 1e-9, "\(row)")
    }
    #expect(Interval.ratio(k: 0, n: 0, effect: .none(of: 0), tail: 0.05) == (nil, nil))
  }

  @Test("bounds with an effective sample size are Beta quantiles of real k and n")
  func effectiveRatio() throws {
    for row in ScipyReference.kornGraubard {
      let effect = DesignEffect(value: row[2], of: row[1], isClustered: true)
      let bounds = Interval.ratio(k: row[0], n: row[1], effect: effect, tail: row[3])
      #expect(abs(try #require(bounds.low) - row[4]) <= 1e-9 * max(row[4], 1e-3), "\(row)")
      #expect(abs(try #require(bounds.high) - row[5]) <= 1e-9, "\(row)")
    }
  }

  @Test("a design effect divides the sample size")
  func designEffect() throws {
    let clustered = DesignEffect(value: 4, of: 4_000, isClustered: true)
    let bounds = Interval.ratio(k: 40, n: 4_000, effect: clustered, tail: 0.025)
    let independent = Interval.ratio(k: 10, n: 1_000, effect: .none(of: 1_000), tail: 0.025)
    #expect(bounds == independent)
    #expect(clustered.nEffective == 1_000)
  }

  @Test("a design effect from few clusters is larger by the square of Student's ratio")
  func fewClusters() throws {
    // SciPy 1.14: t.ppf(0.975, 9) and t.ppf(0.975, 999).
    let ratio = 2.2621571627 / 1.9623414611
    let estimated = DesignEffect(value: 2, of: 1_000, isClustered: true, freedom: 9)
    let known = DesignEffect(value: 2 * ratio * ratio, of: 1_000, isClustered: true)
    let bounds = Interval.ratio(k: 40, n: 1_000, effect: estimated, tail: 0.025)
    let expected = Interval.ratio(k: 40, n: 1_000, effect: known, tail: 0.025)
    #expect(abs(try #require(bounds.low) - #require(expected.low)) < 1e-8)
    #expect(abs(try #require(bounds.high) - #require(expected.high)) < 1e-8)
  }

  @Test("ranks of the bounds on a percentile equal exact binomial sums")
  func ranks() {
    for row in ScipyReference.ranks {
      let ranks = Interval.quantileRanks(row[1], count: Int(row[0]), effect: .none(of: row[0]), tail: row[2])
      #expect(ranks.low ?? 0 == Int(row[3]), "\(row)")
      #expect(ranks.high ?? 0 == Int(row[4]), "\(row)")
    }
  }

  @Test("ranks of the bounds among millions of values equal SciPy's")
  func largeRanks() {
    for row in ScipyReference.largeRanks {
      let ranks = Interval.quantileRanks(row[1], count: Int(row[0]), effect: .none(of: row[0]), tail: row[2])
      #expect(ranks.low == Int(row[3]) && ranks.high == Int(row[4]), "\(row) \(ranks)")
    }
  }

  @Test("ranks of the bounds with an effective sample size equal SciPy's")
  func effectiveRanks() {
    for row in ScipyReference.effectiveRanks {
      let effect = DesignEffect(value: row[2], of: row[0], isClustered: true)
      let ranks = Interval.quantileRanks(row[1], count: Int(row[0]), effect: effect, tail: row[3])
      #expect(ranks.low ?? 0 == Int(row[4]) && ranks.high ?? 0 == Int(row[5]), "\(row) \(ranks)")
    }
  }

  @Test("a percentile has no upper bound below its least sample size", arguments: [(0.99, 299), (0.95, 59), (0.9, 29)])
  func leastSample(p: Double, least: Int) {
    for (count, exists) in [(least - 1, false), (least, true)] {
      let reader = HistogramReader(Histogram((1...count).map(Double.init)))
      let above = Interval.quantile(p, of: reader, effect: .none(of: Double(count)), tail: 0.05)
      let below = Interval.quantile(1 - p, of: reader, effect: .none(of: Double(count)), tail: 0.05)
      #expect((above.high != nil) == exists)
      #expect((below.low != nil) == exists)
      #expect(above.low != nil && below.high != nil)
    }
    let halved = DesignEffect(value: 2, of: Double(2 * least), isClustered: true)
    let reader = HistogramReader(Histogram((1...2 * least).map(Double.init)))
    #expect(Interval.quantile(p, of: reader, effect: halved, tail: 0.05).high != nil)
    let more = DesignEffect(value: 2.1, of: Double(2 * least), isClustered: true)
    #expect(Interval.quantile(p, of: reader, effect: more, tail: 0.05).high == nil)
  }

  @Test("bounds on a percentile include the edges of their spans, and without an edge there is no bound")
  func spans() {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    histogram.insertSpan(low: 100, high: 200, count: 500, stepsPerUnit: 1, into: &payload)
    histogram.insertSpan(low: 9_000, high: .infinity, count: 50, stepsPerUnit: 1, into: &payload)
    let reader = HistogramReader(histogram)
    let median = Interval.quantile(0.5, of: reader, effect: .none(of: 550), tail: 0.05)
    #expect(median.low == 100 && median.high == 200)
    let p95 = Interval.quantile(0.95, of: reader, effect: .none(of: 550), tail: 0.05)
    #expect(p95.low == 9_000 && p95.high == nil)
  }

  @Test("a larger sample never widens the bounds on the median")
  func narrowing() throws {
    var previous = Double.infinity
    for n in [20, 80, 320, 1_280, 5_120] {
      let reader = HistogramReader(Histogram((0..<n).map { 500 + 1_000 * (Double($0) + 0.5) / Double(n) }))
      let bounds = Interval.quantile(0.5, of: reader, effect: .none(of: Double(n)), tail: 0.025)
      let width = try #require(bounds.high) - #require(bounds.low)
      #expect(width < previous)
      previous = width
    }
  }

  @Test("a pair that was removed leaves nothing behind")
  func removed() {
    var sums = RatioMoments()
    for (x, y) in [(1, 5), (1, 5), (3, 10), (1, 10)] { sums.add(x: Int64(x), y: Int64(y)) }
    var removed = sums
    removed.add(x: 9, y: 2)
    removed.subtract(x: 9, y: 2)
    #expect(removed == sums)
  }

  /// scipy.stats.t.interval(0.95, 9, 5.5, std/√10) for 1…10: 3.334149 to 7.665851.
  @Test("bounds on a mean are Student's")
  func mean() throws {
    let reader = HistogramReader(Histogram((1...10).map(Double.init), scheme: .integer), stepsPerUnit: 1_000)
    let bounds = Interval.mean(reader, effect: .none(of: 10), tail: 0.025)
    #expect(abs(try #require(bounds.low) - 3.334149) < 1e-5)
    #expect(abs(try #require(bounds.high) - 7.665851) < 1e-5)
  }

  @Test("the mean of equal values is known to a bin, and that of different values by Student's bounds")
  func equalValues() throws {
    let equal = HistogramReader(Histogram([Double](repeating: 81e6, count: 10)), stepsPerUnit: 1)
    let bounds = Interval.mean(equal, effect: .none(of: 10), tail: 0.05)
    let bin = 81e6 * (exp2(1.0 / 64) - 1)
    let (low, high) = (try #require(bounds.low), try #require(bounds.high))
    #expect(abs(low - (81e6 - bin)) < 1 && abs(high - (81e6 + bin)) < 1 && low < 80.4e6)
  }
}

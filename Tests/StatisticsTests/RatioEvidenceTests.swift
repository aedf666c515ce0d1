import Foundation
import Testing
import TestSupport

@testable import Statistics

/// E-values against their definition, summed by brute force, and against the error rate that they promise.
struct RatioEvidenceTests {
  /// The mixture of the definition, over the same ratios, from one pair of counts.
  private static func mixture(head x: Int, base y: Int, share: Double) -> Double {
    var (sum, weights) = (0.0, 0.0)
    for step in 1...64 {
      let ratio = exp2(Double(step) / 16)
      let z = (log(ratio) - log(2)) / 0.8
      let weight = exp(-z * z / 2)
      let q = ratio * share / (ratio * share + 1 - share)
      weights += weight
      sum += weight * pow(q / share, Double(x)) * pow((1 - q) / (1 - share), Double(y))
    }
    return sum / weights
  }

  @Test(
    "an interval's e-value is the mixture of Lindon and Malek",
    arguments: [(3, 40, 0.1), (0, 5, 0.5), (12, 12, 0.3), (1, 0, 0.01)])
  func definition(head: Int, base: Int, share: Double) {
    var evidence = RatioEvidence()
    evidence.addSameInterval(
      head: EventCount(events: Double(head), use: share * 1000),
      base: EventCount(events: Double(base), use: (1 - share) * 1000))
    let expected = Self.mixture(head: head, base: base, share: share)
    #expect(abs(evidence.against(atMost: 1) - expected) < 1e-9 * max(1, expected))
  }

  @Test("the expected e-value is 1 if the hypothesis is exactly true, and less below it", arguments: [0.05, 0.4])
  func expectation(share: Double) {
    for (ratio, limit) in [(1.0, 1.0 + 1e-9), (0.7, 0.95)] {
      let q = ratio * share / (ratio * share + 1 - share)
      let count = 20
      var mean = 0.0
      for head in 0...count {
        let rest = count - head
        let ways = lgamma(Double(count) + 1) - lgamma(Double(head) + 1) - lgamma(Double(rest) + 1)
        let chance = exp(ways + Double(head) * log(q) + Double(rest) * log(1 - q))
        var evidence = RatioEvidence()
        evidence.addSameInterval(
          head: EventCount(events: Double(head), use: share), base: EventCount(events: Double(rest), use: 1 - share))
        mean += chance * evidence.against(atMost: 1)
      }
      #expect(mean <= limit, "\(ratio): \(mean)")
      if ratio == 1 { #expect(mean > 1 - 1e-9) }
    }
  }

  @Test("with a base from an earlier time, the expected e-value is 1 over the rates that its counts leave open")
  func earlierBase() {
    let (base, use, own) = (7.0, 900.0, 300.0)
    // The number of the head's events is negative binomial.
    let (shape, p) = (base + 0.5, use / (use + own))
    var mean = 0.0
    for head in 0...400 {
      let x = Double(head)
      let ways = lgamma(x + shape) - lgamma(shape) - lgamma(x + 1)
      let chance = exp(ways + shape * log(p) + x * log(1 - p))
      var evidence = RatioEvidence()
      evidence.addEarlierBase(head: EventCount(events: x, use: own), base: EventCount(events: base, use: use))
      mean += chance * evidence.against(atMost: 1)
    }
    #expect(abs(mean - 1) < 1e-6, "\(mean)")
  }

  @Test("at a thousand looks, evidence of 20 is reached in at most 5 % of rollouts, and the interval holds in 95 %")
  func everyLook() {
    let runs = 400
    var (halted, missed) = (0, 0)
    for run in 0..<runs {
      var random = SeededRandom(seed: UInt64(run) &* 77_041 &+ 5)
      var evidence = RatioEvidence()
      var (isHalted, isMissed) = (false, false)
      for look in 0..<1_000 {
        let share = min(0.9, 0.01 + Double(look) / 500)
        // Each event of an interval belongs to the head with the probability of equal releases.
        let events = random.uniform() < 0.3 ? 2 : 1
        let head = (0..<events).count { _ in random.uniform() < share }
        evidence.addSameInterval(
          head: EventCount(events: Double(head), use: share),
          base: EventCount(events: Double(events - head), use: 1 - share))
        isHalted = isHalted || evidence.against(atMost: 1) >= 20
        if look % 50 == 0 {
          let interval = evidence.interval(alpha: 0.05)
          isMissed = isMissed || (interval.low ?? 0) > 1 || (interval.high ?? .infinity) < 1
        }
      }
      halted += isHalted ? 1 : 0
      missed += isMissed ? 1 : 0
    }
    #expect(Double(halted) <= 0.05 * Double(runs) + 3 * (0.0475 * Double(runs)).squareRoot(), "\(halted)")
    #expect(Double(missed) <= 0.05 * Double(runs) + 3 * (0.0475 * Double(runs)).squareRoot(), "\(missed)")
    #expect(halted > 0, "evidence that never errs says nothing")
  }

  @Test("twice the events give evidence for more, and none against")
  func direction() {
    var evidence = RatioEvidence()
    evidence.addSameInterval(head: EventCount(events: 40, use: 100), base: EventCount(events: 20, use: 100))
    #expect(evidence.against(atMost: 1) > 5)
    #expect(evidence.against(atLeast: 1) < 1)
    #expect(evidence.against(atLeast: 8) > 1_000)
    let interval = evidence.interval(alpha: 0.05)
    #expect(abs((interval.value ?? 0) - 2) < 0.05)
    #expect((interval.low ?? 9) < 1.6 && (interval.high ?? 0) > 2.5)
  }

  @Test("counts without use, of a flood or not finite, trap nothing")
  func extremes() {
    var evidence = RatioEvidence()
    for value in [0, -1, .infinity, .nan, 1e300, .leastNonzeroMagnitude] as [Double] {
      for use in [0, 1e-300, 1e300, .infinity] as [Double] {
        let count = EventCount(events: value, use: use, effect: value)
        evidence.addSameInterval(head: count, base: EventCount(events: 1, use: 1))
        evidence.addEarlierBase(head: EventCount(events: 1, use: 1), base: count)
      }
    }
    #expect(!evidence.against(atMost: 1).isNaN)
    _ = evidence.interval(alpha: 0.05)
    #expect(RatioEvidence().against(atMost: 1) == 1)
    #expect(RatioEvidence().interval(alpha: 0.05) == RatioInterval())
  }

  @Test("e-BH rejects the k largest if the k-th is at least m ÷ (k·rate)")
  func discovery() {
    #expect(EvidenceDiscovery.limit([90, 10, 1, 1], rate: 0.05) == 80)
    #expect(EvidenceDiscovery.limit([90, 45, 1, 1], rate: 0.05) == 40)
    #expect(EvidenceDiscovery.limit([30, 30, 30, 30], rate: 0.05) == 20)
    #expect(EvidenceDiscovery.limit([79, 39, 1, 1], rate: 0.05) == 80)
    #expect(EvidenceDiscovery.limit([], rate: 0.05) == 1)
  }

  @Test("the score test of rates is that of the binomial variance in one stratum")
  func score() {
    // 30 of 40 events with half of the use: z = (30 − 20) ÷ √10.
    let p = EventCount.pValue([(EventCount(events: 30, use: 7), EventCount(events: 10, use: 7))])
    #expect(abs(p - erfc(10 / 10.0.squareRoot() / 2.0.squareRoot()) / 2) < 1e-12)
    #expect(EventCount.pValue([(EventCount(events: 0, use: 1), EventCount(events: 0, use: 1))]) == 1)
    let halves = [
      (EventCount(events: 15, use: 7), EventCount(events: 5, use: 7)),
      (EventCount(events: 15, use: 3), EventCount(events: 5, use: 3)),
    ]
    #expect(abs(EventCount.pValue(halves) - p) < 1e-12)
  }
}

/// Counts above a limit, and buckets of two histograms.
struct HistogramLimitTests {
  private static func histogram(_ spans: [(Double, Double, Int)], values: [Double] = []) -> Histogram {
    var histogram = Histogram(scheme: .logarithmic)
    var cluster = ClusterSum()
    for (low, high, count) in spans {
      histogram.insertSpan(low: low, high: high, count: count, stepsPerUnit: 1_000, into: &cluster)
    }
    for value in values { histogram.insert(value, stepsPerUnit: 1_000, into: &cluster) }
    histogram.close(cluster)
    return histogram
  }

  @Test("values above a limit are those of higher bins and the part of a bucket above it")
  func above() {
    let histogram = Self.histogram([(0, 10, 4), (10, 20, 8), (20, .infinity, 3)], values: [500, 1])
    #expect(histogram.count(above: 15) == 4 + 3 + 1)
    #expect(histogram.count(above: 20) == 3 + 1)
    // A bucket without an end counts at its start.
    #expect(histogram.count(above: 1_000) == 0)
    #expect(histogram.count(above: -1) == Double(histogram.count))
    let points = Self.histogram([(5, 5, 2)])
    #expect(points.count(above: 5) == 0)
    #expect(points.count(above: 4.9) == 2)
  }

  @Test("buckets are shared unless one partly overlaps another")
  func sharesBuckets() {
    let tens = Self.histogram([(0, 10, 1), (10, 20, 1), (40, 50, 1)])
    #expect(tens.sharesBuckets(with: Self.histogram([(10, 20, 3), (20, 30, 3), (40, 50, 1)])))
    #expect(tens.sharesBuckets(with: Self.histogram([], values: [1, 2])))
    #expect(!tens.sharesBuckets(with: Self.histogram([(0, 20, 1)])))
    #expect(!tens.sharesBuckets(with: Self.histogram([(5, 10, 1)])))
    #expect(!Self.histogram([(15, 25, 1)]).sharesBuckets(with: tens))
  }
}

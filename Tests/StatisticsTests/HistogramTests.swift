import Testing
import TestSupport

@testable import Core
@testable import Statistics

@Suite("Histograms")
struct HistogramTests {
  @Test("parts merged in any order and grouping equal the whole, bit for bit", arguments: [10, 2_000])
  func merging(spans: Int) {
    let parts = (0..<6).map { Histogram.mixed(seed: UInt64($0), spans: spans, widths: [1, 7, 0, 30.5, .infinity]) }
    let forward = parts.reduce(into: Histogram(scheme: .logarithmic)) { $0.merge($1) }
    var backward = Histogram(scheme: .logarithmic)
    for part in parts.reversed() { backward.merge(part) }
    var left = parts[3]
    left.merge(parts[0])
    var right = parts[5]
    for index in [1, 4, 2] { right.merge(parts[index]) }
    left.merge(right)
    #expect(forward == backward)
    #expect(forward == left)
    #expect(forward.bytes == left.bytes)
    #expect(forward.count == parts.reduce(0) { $0 + $1.count })
  }

  @Test("the sum of many histograms equals merging them one by one", arguments: [0, 10, 2_000])
  func sum(spans: Int) {
    let mixed = (0..<9).map { Histogram.mixed(seed: UInt64($0), spans: spans, widths: [1, 7, 0, 30.5, .infinity]) }
    let near = Shape.allCases.map { Histogram($0.samples(300, seed: 5), perPayload: 7) }
    let far = [[1e-6, 3], [1e-3, 0, 0], [1e12, 5e15], [2]].map { Histogram($0, perPayload: 1) }
    var whole = Histogram(scheme: .integer)
    var payload = ClusterSum()
    for value in [0.0, 1, 7, 7, 90_000] { whole.insert(value, stepsPerUnit: 1, into: &payload) }
    whole.close(payload)
    let cases = [
      [], [mixed[0]], mixed, near, far, near + far, [whole, whole, whole], [whole, mixed[1], near[0], whole],
    ]
    for parts in cases {
      var merged = Histogram(scheme: parts.first?.scheme ?? .logarithmic)
      for part in parts { merged.merge(part) }
      #expect(Histogram(sum: parts) == merged)
      #expect(Histogram(sum: parts).bytes == merged.bytes)
    }
  }

  @Test("a histogram of halves equals the histogram of all samples", arguments: Shape.allCases)
  func halves(shape: Shape) {
    let samples = shape.samples(4_000, seed: 3)
    var merged = Histogram(Array(samples[2_000...]), perPayload: 20)
    merged.merge(Histogram(Array(samples[..<2_000]), perPayload: 20))
    #expect(merged == Histogram(samples, perPayload: 20))
  }

  @Test("original and coarse spans merge to the same result in either direction")
  func coarseIntoFine() {
    let fine = Histogram.mixed(seed: 1, spans: 10, widths: [1, 7, 0, 30.5, .infinity])
    let coarse = Histogram.mixed(seed: 2, spans: 4_000, widths: [1, 7, 0, 30.5, .infinity])
    #expect(fine.spans.coarseness == 0 && coarse.spans.coarseness > 0)
    var (one, other) = (fine, coarse)
    one.merge(coarse)
    other.merge(fine)
    #expect(one == other)
    #expect(one.spans.coarseness == coarse.spans.coarseness)
  }

  @Test("a sum rounds each value to the nearest step, halves away from zero")
  func rounding() {
    // In thousandths: 0.4, 0.5, 1.4, 1.6 and 999.9 of them.
    let histogram = Histogram([0.0004, 0.0005, 0.0014, 0.0016, 0.9999], perPayload: 5)
    #expect(histogram.sum == 1_004)
  }

  @Test("totals of a histogram equal those of its samples")
  func totals() {
    let histogram = Histogram([1.5, 0, 2.25, 1_000], perPayload: 2)
    #expect(histogram.count == 4)
    #expect(histogram.zeroCount == 1)
    #expect(histogram.sum == 1_003_750)
    #expect(histogram.minimum == 0)
    #expect(histogram.maximum == 1_000)
    #expect(!histogram.isEstimated)
    #expect(histogram.moments.clusters == 2)
    #expect(histogram.moments.squares == 8)
  }

  @Test("a span counts in sums by its middle, and an open-ended one by its low edge")
  func spans() {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    histogram.insertSpan(low: 820, high: 830, count: 2, stepsPerUnit: 1_000, into: &payload)
    #expect(histogram.sum == 1_650_000)
    histogram.insertSpan(low: 9_000, high: .infinity, count: 1, stepsPerUnit: 1_000, into: &payload)
    #expect(histogram.sum == 10_650_000)
    #expect(histogram.minimum == 820)
    #expect(histogram.maximum == 9_000)
    #expect(histogram.isEstimated)
    #expect(payload.count == 3)
  }

  @Test("a value that is not a measurement is refused and changes nothing")
  func refusals() {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    for value in [-1, Double.nan, .infinity, -.infinity] {
      #expect(!histogram.insert(value, stepsPerUnit: 1, into: &payload))
    }
    #expect(!histogram.insert(1, stepsPerUnit: 1, count: 0, into: &payload))
    for (low, high) in [(5.0, 4.0), (-1, 4), (Double.nan, 4), (4, Double.nan), (Double.infinity, Double.infinity)] {
      #expect(!histogram.insertSpan(low: low, high: high, count: 1, stepsPerUnit: 1, into: &payload))
    }
    #expect(!histogram.insertSpan(low: 1, high: 2, count: -1, stepsPerUnit: 1, into: &payload))
    #expect(!histogram.insertBin(.max, count: 1, stepsPerUnit: 1, into: &payload))
    histogram.close(payload)
    #expect(histogram == Histogram(scheme: .logarithmic))
  }

  @Test("hostile counts saturate instead of trapping")
  func saturation() {
    var histogram = Histogram(scheme: .logarithmic)
    for _ in 0..<3 {
      var payload = ClusterSum()
      for value in [1e300, 0, 7, .leastNonzeroMagnitude] {
        histogram.insert(value, stepsPerUnit: 1e6, count: .max, into: &payload)
      }
      histogram.insertSpan(low: 0, high: .greatestFiniteMagnitude, count: .max, stepsPerUnit: 1e6, into: &payload)
      histogram.close(payload)
    }
    histogram.merge(histogram)
    #expect(histogram.count == .max)
    #expect(histogram.sum == .max)
    histogram.readEverything()
  }

  @Test("beyond 1,024 distinct spans, edges snap outward and no value is lost")
  func snapping() {
    var random = SeededRandom(seed: 9)
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    for _ in 0..<30_000 {
      let low = random.uniform() * 5_000
      histogram.insertSpan(
        low: low, high: low * (1 + random.uniform()), count: 1, stepsPerUnit: 1_000, into: &payload)
    }
    #expect(histogram.spans.entries.count <= SpanCounts.limit)
    #expect(histogram.spans.coarseness > 0)
    #expect(histogram.spans.entries.reduce(0) { $0 + $1.count } == 30_000)
    let narrow = (0..<1_025).map { Double($0) + 0.3 }
    var fine = Histogram(scheme: .logarithmic)
    for low in narrow { fine.insertSpan(low: low, high: low + 1, count: 1, stepsPerUnit: 1_000, into: &payload) }
    #expect(fine.spans.coarseness == 1)
    for span in fine.spans.entries where span.low > 0 {
      #expect(BinScheme.logarithmic.bounds(of: BinScheme.logarithmic.index(of: span.low)).high == span.low)
      #expect(BinScheme.logarithmic.bounds(of: BinScheme.logarithmic.index(of: span.high)).high == span.high)
    }
  }

  @Test("counts are rounded to whole numbers and read back exactly")
  func integers() {
    let histogram = Histogram([0.4, 3, 3, 4.6, 128], scheme: .integer)
    #expect(histogram.zeroCount == 1)
    let reader = HistogramReader(histogram)
    #expect((1...5).map { reader.value(atRank: Double($0)) } == [0, 3, 3, 5, 128])
    #expect(reader.quantile(0.5)?.relativeError == 0)
  }
}

extension Histogram {
  var bytes: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.bytes
  }

  /// Asks for every number there is; passes if nothing traps.
  func readEverything() {
    let reader = HistogramReader(self)
    for oneValue in [true, false] {
      let effect = DesignEffect.forDistribution(self, phones: DeviceClusterSize([self]), oneValuePerCluster: oneValue)
      for p in [0, 0.1, 0.5, 0.99, 1] {
        _ = reader.quantile(p)
        _ = Interval.quantile(p, of: reader, effect: effect, tail: 0.05)
      }
      _ = Interval.mean(reader, effect: effect, tail: 0.05)
      for target in [-1, 0, 0.3, 5, 1e300, .infinity, .nan] {
        _ = Interval.share(atMost: target, reader, effect: effect, tail: 0.05)
        _ = Interval.share(below: target, reader, effect: effect, tail: 0.05)
      }
    }
    for maximum in [0, 1, 2, 40] { _ = reader.bars(maximum: maximum) }
  }
}

import Testing
import TestSupport

@testable import Statistics

@Suite("Reading a histogram")
struct HistogramReaderTests {
  static let probabilities = [0.001, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1]

  @Test("a sum at the largest number no longer determines the mean")
  func saturatedMean() throws {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    // 10^13 of each: their sum is 10^22 steps, beyond 2^63.
    for value in [1.0, 1_000_000] {
      histogram.insert(value, stepsPerUnit: 1_000, count: 10_000_000_000_000, into: &payload)
    }
    histogram.close(payload)
    let mean = try #require(HistogramReader(histogram, stepsPerUnit: 1_000).mean)
    // Bins are about 1.1 % wide.
    #expect((495_000...505_500).contains(mean))
  }

  @Test("percentiles are within 0.55 % of the nearest rank of the raw samples", arguments: Shape.allCases)
  func percentiles(shape: Shape) throws {
    let samples = shape.samples(20_000, seed: 11)
    let sorted = samples.sorted()
    let reader = HistogramReader(Histogram(samples))
    for percent in [1, 5, 10, 25, 50, 75, 90, 95, 99, 100] {
      let truth = sorted[(percent * 20_000 + 99) / 100 - 1]
      let read = try #require(reader.quantile(Double(percent) / 100))
      #expect(abs(read.value - truth) <= 0.0055 * truth, "p\(percent)")
      #expect(read.relativeError == 0.0055)
    }
  }

  @Test("percentiles of bucketed samples are between the two placements", arguments: Shape.allCases)
  func buckets(shape: Shape) throws {
    let sorted = shape.samples(5_000, seed: 12).sorted()
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    for value in sorted {
      let low = (value / 25).rounded(.down) * 25
      histogram.insertSpan(low: low, high: low + 25, count: 1, stepsPerUnit: 1_000, into: &payload)
    }
    let reader = HistogramReader(histogram)
    for rank in stride(from: 1, through: 5_000, by: 37) {
      let truth = sorted[rank - 1]
      let low = try #require(reader.value(atRank: Double(rank), .low))
      let spread = try #require(reader.value(atRank: Double(rank)))
      let high = try #require(reader.value(atRank: Double(rank), .high))
      #expect(low <= truth && truth <= high && low <= spread && spread <= high)
      #expect(high - low <= 25)
    }
  }

  @Test("the k-th of c values of a span is at low + (high - low)·k/c")
  func spread() {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    histogram.insertSpan(low: 100, high: 200, count: 4, stepsPerUnit: 1, into: &payload)
    histogram.insertSpan(low: 300, high: 300, count: 1, stepsPerUnit: 1, into: &payload)
    histogram.insertSpan(low: 400, high: .infinity, count: 1, stepsPerUnit: 1, into: &payload)
    let reader = HistogramReader(histogram)
    #expect((1...6).map { reader.value(atRank: Double($0)) } == [125, 150, 175, 200, 300, 400])
    #expect((1...6).map { reader.value(atRank: Double($0), .low) } == [100, 100, 100, 100, 300, 400])
    #expect((1...6).map { reader.value(atRank: Double($0), .high) } == [200, 200, 200, 200, 300, .infinity])
    #expect(reader.quantile(1)?.relativeError == .infinity)
    // Read as 175, it may lie at 100: farther than at 200.
    #expect(reader.quantile(0.5)?.relativeError == 75.0 / 175)
  }

  @Test("overlapping spans give the same results as fine-grained points")
  func overlapping() throws {
    var random = SeededRandom(seed: 4)
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    var points: [Double] = []
    for _ in 0..<60 {
      let low = Double(random.next() % 400)
      let width = Double(1 + random.next() % 90)
      histogram.insertSpan(low: low, high: low + width, count: 10, stepsPerUnit: 1, into: &payload)
      for k in 1...2_000 { points.append(low + width * (Double(k) - 0.5) / 2_000) }
    }
    points.sort()
    let reader = HistogramReader(histogram)
    for rank in 1...600 {
      let value = try #require(reader.value(atRank: Double(rank)))
      #expect(abs(value - points[rank * 200 - 1]) < 0.6, "\(rank)")
    }
  }

  @Test("values exactly at a target meet it: 5, 16.67, 100 and powers of two")
  func targets() {
    for target in [5, 16.67, 100, 128, 250, 0.25] {
      let reader = HistogramReader(Histogram([target / 2, target, target, target * 1.02]))
      #expect(reader.count(atMost: target).spread == 3)
      #expect(reader.count(below: target).spread == 1)
    }
    let counts = HistogramReader(Histogram([0, 4, 5, 5, 6], scheme: .integer))
    #expect(counts.count(atMost: 5).spread == 4)
    #expect(counts.count(atMost: 4.6).spread == 2)
    #expect(counts.count(below: 5).spread == 2)
    #expect(counts.count(below: 4.6).spread == 2)
  }

  @Test("a span that contains the target is neither certainly good nor certainly bad")
  func straddling() {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    histogram.insertSpan(low: 1_000, high: 1_500, count: 10, stepsPerUnit: 1, into: &payload)
    histogram.insertSpan(low: 1_500, high: 2_500, count: 10, stepsPerUnit: 1, into: &payload)
    histogram.insertSpan(low: 9_000, high: .infinity, count: 5, stepsPerUnit: 1, into: &payload)
    let counts = HistogramReader(histogram).count(atMost: 2_000)
    #expect(counts.low == 20)
    #expect(counts.high == 10)
    #expect(abs(counts.spread - 15) < 0.2)
    let share = Interval.share(atMost: 2_000, HistogramReader(histogram), effect: .none(of: 25), tail: 0.05)
    #expect(share.surelyOutside == 5)
    #expect(share.fewest == 10)
  }

  @Test("mean and variance equal those of the samples", arguments: Shape.allCases)
  func moments(shape: Shape) throws {
    let samples = shape.samples(3_000, seed: 5)
    let mean = samples.reduce(0, +) / 3_000
    let variance = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 2_999
    let exact = try #require(HistogramReader(Histogram(samples), stepsPerUnit: 1_000).mean)
    let reader = HistogramReader(Histogram(samples))
    #expect(abs(exact - mean) < 0.001)
    #expect(abs(try #require(reader.mean) - mean) < 0.0055 * mean)
    #expect(abs(try #require(reader.variance) - variance) < 0.02 * variance)
  }

  @Test("bars are adjacent, few and contain every value", arguments: Shape.allCases, [1, 2, 12, 40])
  func bars(shape: Shape, maximum: Int) {
    let samples = shape.samples(5_000, seed: 6)
    let bars = HistogramReader(Histogram(samples)).bars(maximum: maximum)
    #expect(!bars.isEmpty && bars.count <= maximum)
    #expect(abs(bars.reduce(0) { $0 + $1.count } - 5_000) < 1e-6)
    for (left, right) in zip(bars, bars.dropFirst()) { #expect(left.high == right.low) }
    // A bin blurs a value by up to 1.1 %, so a bar can hold or miss what lies that close to its edges.
    for bar in bars {
      let high = bar.high ?? .infinity
      let surely = samples.count { $0 >= bar.low * 1.011 && $0 < high / 1.011 }
      let perhaps = samples.count { $0 >= bar.low / 1.011 && $0 < high * 1.011 }
      #expect(bar.count >= Double(surely) - 1e-6 && bar.count <= Double(perhaps) + 1e-6, "\(bar)")
    }
  }

  @Test("bars handle an open-ended span, equal values and no values")
  func specialBars() {
    var histogram = Histogram(scheme: .logarithmic)
    var payload = ClusterSum()
    histogram.insertSpan(low: 1_000, high: 2_000, count: 6, stepsPerUnit: 1, into: &payload)
    histogram.insertSpan(low: 9_000, high: .infinity, count: 2, stepsPerUnit: 1, into: &payload)
    let bars = HistogramReader(histogram).bars(maximum: 10)
    #expect(bars.last?.high == nil)
    #expect((bars.last?.low ?? .infinity) <= 9_000)
    #expect(bars.last?.count == 2)
    let equal = HistogramReader(Histogram([100, 100, 100])).bars(maximum: 20)
    #expect(equal.map(\.count) == [3])
    #expect(HistogramReader(Histogram([0, 0])).bars(maximum: 20).map(\.count) == [2])
    #expect(HistogramReader(Histogram(scheme: .integer)).bars(maximum: 20).isEmpty)
    let whole = HistogramReader(Histogram([1, 2, 2, 5], scheme: .integer)).bars(maximum: 20)
    #expect(whole.map(\.low) == [1, 2, 3, 4, 5])
    #expect(whole.map(\.count) == [1, 2, 0, 0, 1])
  }
}

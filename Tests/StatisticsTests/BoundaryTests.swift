import Testing
import TestSupport

@testable import Core
@testable import Statistics

/// The largest, smallest and strangest numbers in every sum and reader: what saturates must still be read.
@Suite("The largest and smallest numbers")
struct BoundaryTests {
  private static let values: [Double] = [
    0, -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude / 2, .leastNormalMagnitude, 0.5, 1, 127.5, 128, 128.5,
    0x1p53,
    0x1p53 + 2, 1e15, 1e15.nextUp, 0x1p63, 0x1p63.nextDown, 1e18, .greatestFiniteMagnitude, .infinity, .nan,
    -.infinity, -1, -.leastNonzeroMagnitude,
  ]
  private static let counts = [
    Int.min, -1, 0, 1, 2, 999_999_999_999, 1_000_000_000_000, 1 << 53, .max / 2, .max - 1, .max,
  ]

  private static func spread(_ scheme: BinScheme) -> Histogram {
    var histogram = Histogram(scheme: scheme)
    for steps in [1, 1e300] {
      for count in counts {
        var cluster = ClusterSum()
        for value in values {
          histogram.insert(value, stepsPerUnit: steps, count: count, into: &cluster)
          for high in values {
            histogram.insertSpan(low: value, high: high, count: count, stepsPerUnit: steps, into: &cluster)
          }
        }
        for index: Int32 in [.min, -65_409, -1, 0, 1, 65_535, .max] {
          histogram.insertBin(index, count: count, stepsPerUnit: steps, into: &cluster)
        }
        histogram.close(cluster)
      }
    }
    return histogram
  }

  @Test("every value with every count is added or refused, and all results are numbers")
  func everyValue() throws {
    for scheme in [BinScheme.logarithmic, .integer] {
      let histogram = Self.spread(scheme)
      #expect(histogram.count == .max && histogram.sum == .max)
      Self.read(histogram)
      var twice = histogram
      twice.merge(histogram)
      twice.merge(Self.spread(scheme == .integer ? .logarithmic : .integer))
      Self.read(twice)
      Self.read(Histogram(sum: [histogram, twice, histogram]))
      #expect(try Self.decoded(Self.encoded(twice)) == twice)
    }
  }

  @Test("a mean index is within the bins, even if counts saturate")
  func momentsOfSaturated() {
    // Many bins of the largest count: their sum passes 64 bits, and with it the mean of their indices.
    var histogram = Histogram(scheme: .logarithmic)
    var cluster = ClusterSum()
    for index in stride(from: Int32(60_000), to: 65_000, by: 1) {
      histogram.insertBin(index, count: .max, stepsPerUnit: 1, into: &cluster)
      histogram.close(cluster)
    }
    let effect = DesignEffect.forDistribution(
      histogram, phones: DeviceClusterSize([histogram]), oneValuePerCluster: false)
    #expect(effect.value >= 1 && effect.value.isFinite && effect.nEffective >= 0)
    Self.read(histogram)
  }

  @Test("clusters of one payload saturate like the sums of several")
  func clusters() {
    var histogram = Histogram(scheme: .logarithmic)
    var whole = ClusterSum()
    for _ in 0..<20 {
      var part = ClusterSum()
      histogram.insertBin(65_535, count: .max / 4, stepsPerUnit: 1, into: &part)
      whole.merge(part)
    }
    #expect(whole.count == .max && whole.indexSum == .max)
    histogram.close(whole)
    #expect(histogram.moments.clusters == 1 && histogram.moments.squares > 0)
  }

  @Test("pairs can add and remove the ends of 64 bits")
  func pairs() throws {
    let ends: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 53, .max - 1, .max]
    var sum = RatioMoments()
    for x in ends {
      for y in ends {
        for _ in 0..<3 {
          sum.add(x: x, y: y)
          sum.merge(sum)
        }
        sum.subtract(x: y, y: x)
        let bounds = RateSample(days: [sum], events: .one)?.bounds(tail: 0.025)
        let (low, high) = (bounds?.low, bounds?.high)
        #expect(low?.isNaN != true && high?.isNaN != true)
        let effect = DesignEffect.forRatio(k: Double(sum.x), n: Double(sum.y), moments: sum)
        #expect(effect.value >= 1)
      }
    }
    var writer = ByteWriter()
    sum.encode(into: &writer)
    let bytes = writer.bytes
    #expect(
      try bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return try RatioMoments(from: &reader)
      } == sum)
  }

  @Test("a stored row with any byte changed is read or throws, and a read one can be used", arguments: 0..<4)
  func damagedRows(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let originals = [Self.encoded(Self.spread(.logarithmic)), Self.encoded(Self.spread(.integer))]
    for round in 0..<300 {
      var bytes = originals[round % 2]
      // The totals and moments stand in front; most of the rest is counts.
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index =
          Bool.random(using: &random)
          ? Int.random(in: 0..<min(60, bytes.count), using: &random) : Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], at: index)
        default: bytes.remove(at: index)
        }
      }
      guard let histogram = try? Self.decoded(bytes) else { continue }
      Self.read(histogram)
      var sum = histogram
      sum.merge(histogram)
      Self.read(sum)
      #expect((try? Self.decoded(Self.encoded(sum))) != nil)
    }
  }

  @Test("impossible ends change nothing, and the row reads back as it was written")
  func impossibleEnds() throws {
    for (minimum, maximum) in [(Double.infinity, nil), (nil, .infinity), (.nan, nil), (-1, nil), (5, 4)]
      as [(Double?, Double?)]
    {
      var histogram = Histogram(scheme: .logarithmic)
      var cluster = ClusterSum()
      histogram.insert(3, stepsPerUnit: 1, into: &cluster)
      histogram.restate(sum: 3, minimum: minimum, maximum: maximum, stepsPerUnit: 1)
      #expect(histogram.minimum == 3 && histogram.maximum == 3)
      #expect(try Self.decoded(Self.encoded(histogram)) == histogram)
    }
  }

  private static func encoded(_ histogram: Histogram) -> [UInt8] {
    var writer = ByteWriter()
    histogram.encode(into: &writer)
    return writer.bytes
  }

  private static func decoded(_ bytes: [UInt8]) throws -> Histogram {
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try Histogram(from: &reader)
    }
  }

  /// Asks for all that pages and verdicts ask for.
  private static func read(_ histogram: Histogram) {
    let reader = HistogramReader(histogram, stepsPerUnit: 1000)
    let effect = DesignEffect.forDistribution(
      histogram, phones: DeviceClusterSize([histogram]), oneValuePerCluster: false)
    for p in [0, 0.1, 0.5, 0.9, 0.999, 1] {
      if let quantile = reader.quantile(p) { #expect(!quantile.value.isNaN) }
      for tail in [0.001, 0.025, 0.5] { _ = Interval.quantile(p, of: reader, effect: effect, tail: tail) }
    }
    for value in values {
      let counts = reader.count(atMost: value)
      #expect(value.isNaN || counts.low >= counts.high)
      _ = Interval.share(atMost: value, reader, effect: effect, tail: 0.025)
      _ = Interval.share(below: value, reader, effect: effect, tail: 0.025)
    }
    for maximum in [0, 1, 2, 24, 500] { #expect(reader.bars(maximum: maximum).count <= maximum) }
    #expect(reader.mean?.isNaN != true && (reader.variance ?? 0) >= 0)
    _ = Interval.mean(reader, effect: effect, tail: 0.025)
    _ = ComparableEstimate.quantile(0.9, of: reader, effect: effect)
    _ = ComparableEstimate.mean(of: reader, effect: effect)
    _ = ComparableEstimate.quantile(
      0.9, of: [SamplePart(reader: reader, effect: effect), SamplePart(reader: reader, effect: effect)],
      weights: [1, 2])
    _ = DesignEffect.forStrata(
      [histogram, histogram], phones: [DeviceClusterSize(), DeviceClusterSize()], oneValuePerCluster: false)
  }
}

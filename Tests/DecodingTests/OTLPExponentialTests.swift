import OTLPMessages
import Testing

@testable import Core
@testable import Ingest

@Suite("OTLP exponential histograms")
struct OTLPExponentialTests {
  @Test("exponential histograms of scale 6 or coarser stay unchanged")
  func asTheyAre() throws {
    let reading = try OTLP.reading("launch.resume", "ms", OTLP.exponential(scale: 3, offset: -2, [1, 0, 4], zeros: 2))
    #expect(
      reading.value
        == .exponential(
          ExponentialBuckets(scale: 3, zeros: 2, buckets: [.init(index: -2, count: 1), .init(index: 0, count: 4)])))
  }

  @Test("a finer scale is lowered exactly, so that a value is in its bucket of scale 6", arguments: [7, 12, 20])
  func lowered(scale: Int32) throws {
    let values = [0.7, 1, 1.5, 99.9, 100, 100.1, 2048, 2049]
    func index(_ value: Double, _ scale: Int32) -> Int {
      var low = -2_000_000_000
      var high = 2_000_000_000
      let probe = Double(sign: .plus, exponent: -Int(scale), significand: 1)
      while low < high {
        let middle = low + (high - low) / 2
        if exp2Edge(Double(middle + 1) * probe) >= value { high = middle } else { low = middle + 1 }
      }
      return low
    }
    for value in values {
      let reading = try OTLP.reading(
        "launch.resume", "ms", OTLP.exponential(scale: scale, offset: Int32(index(value, scale)), [1]))
      guard case .exponential(let buckets) = reading.value else {
        Issue.record("\(value) is no exponential bucket")
        continue
      }
      #expect(buckets.scale == 6 && buckets.buckets == [.init(index: index(value, 6), count: 1)], "\(value)")
    }
  }

  /// 2^x by repeated square roots, which needs no library function under test.
  private func exp2Edge(_ power: Double) -> Double {
    var result = Double(sign: .plus, exponent: Int(power.rounded(.down)), significand: 1)
    var rest = power - power.rounded(.down)
    var root = 2.0
    while rest > 0 {
      root = root.squareRoot()
      rest *= 2
      if rest >= 1 {
        result *= root
        rest -= 1
      }
    }
    return result
  }

  @Test("in another unit, edges leave the grid of bins, and buckets become spans with those edges")
  func converted() throws {
    let reading = try OTLP.reading("launch.resume", "s", OTLP.exponential(scale: 0, offset: -1, [3, 1], zeros: 2))
    #expect(
      reading.value
        == .spans([
          Span(low: 0, high: 0, count: 2), Span(low: 500, high: 1000, count: 3), Span(low: 1000, high: 2000, count: 1),
        ]))
  }

  @Test("the zero threshold of an exponential histogram becomes a span")
  func threshold() throws {
    let reading = try OTLP.reading(
      "launch.resume", "ms", OTLP.exponential(scale: 0, offset: 1, [3], zeros: 2, threshold: 0.5))
    #expect(reading.value == .spans([Span(low: 0, high: 0.5, count: 2), Span(low: 2, high: 4, count: 3)]))
  }

  @Test("values below 0 of an exponential histogram are counted and left out")
  func negative() throws {
    let decoded = try OTLP.decode([
      OTLP.metric("launch.resume", "ms", OTLP.exponential(scale: 0, offset: 1, [3], negative: [2, 2]))
    ])
    #expect(decoded.reports[0].rejectedSamples == 4 && decoded.reports[0].measurements.count == 1)
  }

  @Test("buckets of impossible values, and scales beyond any double, are refused")
  func impossible() throws {
    #expect(
      try OTLP.refusal("launch.resume", "ms", OTLP.exponential(scale: 0, offset: .max, [1])).message.contains("10^15"))
    #expect(
      try OTLP.refusal("launch.resume", "ms", OTLP.exponential(scale: -12, offset: 0, [1])).message.contains("scale"))
    #expect(
      try OTLP.refusal("launch.resume", "ms", OTLP.exponential(scale: 63, offset: 0, [1])).message.contains("scale"))
    #expect(
      try OTLP.refusal("launch.resume", "ms", OTLP.exponential(scale: 0, offset: 0, [.max])).message
        .contains("10^12"))
  }

  @Test("buckets below any normal double become zeros")
  func subnormal() throws {
    let reading = try OTLP.reading("launch.resume", "ms", OTLP.exponential(scale: 6, offset: .min, [1]))
    #expect(reading.value == .exponential(ExponentialBuckets(scale: 6, zeros: 1, buckets: [])))
  }
}

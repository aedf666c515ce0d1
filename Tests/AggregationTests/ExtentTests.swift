import TestSupport
import Testing

@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage

/// Buckets with an exact sum, minimum and maximum, as OTLP's histograms have them.
struct ExtentTests {
  /// A distribution in milliseconds, one of whole numbers, and a counter.
  private static let metrics: [MetricReference] = [
    .known(100), .custom(name: "items", unit: .count, kind: .distribution),
    .custom(name: "bytes", unit: .bytes, kind: .counter),
  ]

  @Test("many measurements with extents add up to the sum of their own distributions", arguments: 1...20)
  func sums(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var expected: [String: Aggregate] = [:]
    var records: [[UInt8]] = []
    for _ in 0..<60 {
      var measurements: [Measurement] = []
      for metric in Self.metrics where Bool.random(using: &random) {
        let label = Bool.random(using: &random) ? "cart" : ""
        let spans = Self.spans(&random)
        // Without an extent, a counter's buckets are rounded one by one.
        let isExact = metric.kind == .counter || Int.random(in: 0..<5, using: &random) > 0
        let extent = isExact ? Self.extent(&random) : nil
        measurements.append(
          Measurement(metric, label: label, at: .day(Fixture.today), .spans(spans), extent: extent))
        for label in label.isEmpty ? [""] : ["", label] {
          var cluster = ClusterSum()
          var aggregate = Aggregate(.spans(spans), extent: extent, of: metric, cluster: &cluster)
          aggregate.close(cluster)
          let name = "\(metric) \(label)"
          if expected[name] == nil { expected[name] = aggregate } else { expected[name]?.merge(aggregate) }
        }
      }
      records.append(Fixture.record(Fixture.report(measurements, source: .otlp)))
    }
    let batch = Fixture.digest(records)
    for metric in Self.metrics {
      for label in ["", "cart"] {
        #expect(batch.total(metric, label: label) == expected["\(metric) \(label)"], "\(metric) \(label)")
      }
    }
  }

  @Test("an exact sum counts, and not the middles of the buckets")
  func exact() {
    let spans = [Span(low: 0, high: 100, count: 3)]
    let measured = Self.metrics.map {
      Measurement($0, at: .day(Fixture.today), .spans(spans), extent: Extent(sum: 42, minimum: 2, maximum: 30))
    }
    let batch = Fixture.digest([Fixture.record(Fixture.report(measured + measured, source: .otlp))])
    let launches = batch.histogram(100)
    #expect(launches?.count == 6 && launches?.sum == 84_000)
    #expect(launches?.minimum == 2 && launches?.maximum == 30 && launches?.isEstimated == false)
    #expect(batch.total(Self.metrics[2]) == .counter(CounterSum(steps: 84, payloads: 2)))
  }

  @Test("a minimum of −0 is 0, in any order", arguments: [[-0.0, 0], [0, -0.0], [-0.0]])
  func negativeZero(minima: [Double]) {
    let measured = minima.map {
      Measurement(
        .known(100), at: .day(Fixture.today), .spans([Span(low: 0, high: 10, count: 1)]),
        extent: Extent(sum: 0, minimum: $0, maximum: $0))
    }
    let launches = Fixture.digest([Fixture.record(Fixture.report(measured, source: .otlp))]).histogram(100)
    #expect(launches?.minimum?.sign == .plus && launches?.maximum?.sign == .plus)
  }

  private static func spans(_ random: inout SeededRandom) -> [Span] {
    (0..<Int.random(in: 0...6, using: &random)).map { index in
      let low = Double(index * 10) + (Bool.random(using: &random) ? Double.random(in: 0..<5, using: &random) : 0)
      let high = [low, low + 10, .infinity].randomElement(using: &random) ?? low
      return Span(low: low, high: high, count: Int.random(in: 0...4, using: &random))
    }
  }

  /// Also extents that contradict the buckets or themselves, which a damaged record may contain.
  private static func extent(_ random: inout SeededRandom) -> Extent {
    func number() -> Double? {
      [nil, -1, 0, .infinity, Double.random(in: 0..<90, using: &random)].randomElement(using: &random) ?? nil
    }
    return Extent(sum: number() ?? 7.25, minimum: number(), maximum: number())
  }
}

import OTLPMessages
import SwiftProtobuf
import Testing
import TestSupport

@testable import Core
@testable import Ingest

@Suite("Metrics of OTLP that a decoder remembers")
struct OTLPMetricStorageTests {
  /// Metrics of few names that differ in unit, kind, temporality and whether they only grow.
  private static let variants = ["launch.resume", "my.own", "metrickit.diskio.logical_write_count"]
    .flatMap(variants(of:))

  private static func variants(of name: String) -> [PBMetric] {
    var whole = OTLP.number(0)
    whole.asInt = 3
    let data: [PBMetric.OneOf_Data] = [
      OTLP.gauge([OTLP.number(1.5)]), OTLP.gauge([whole]), OTLP.sum([OTLP.number(2)]),
      OTLP.sum([OTLP.number(2)], .cumulative), OTLP.sum([OTLP.number(2)], monotonic: false, .cumulative),
      OTLP.sum([OTLP.number(2)], monotonic: false), OTLP.histogram([1, 2], [1, 2, 3]),
      OTLP.histogram([1, 2], [1, 2, 3], .cumulative), OTLP.exponential(scale: 2, offset: 4, [1, 2]),
      .summary(.with { $0.dataPoints = [.init()] }),
    ]
    return data.flatMap { data in ["ms", "s", "By", "1", "", "parsecs"].map { OTLP.metric(name, $0, data) } }
  }

  @Test("a decoder that has read other metrics of the same name reads a metric like a new one", arguments: [1, 2])
  func remembered(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let decoder = PayloadDecoder()
    for _ in 0..<1_000 {
      let metric = try #require(Self.variants.randomElement(using: &random))
      let bytes: [UInt8] = try OTLP.request([metric]).serializedBytes()
      let format = PayloadFormat.otlpMetrics(.protobuf)
      #expect(try OTLP.decode(bytes, as: format, with: decoder) == OTLP.decode(bytes, as: format), "\(metric)")
    }
  }

  @Test("a metric with a long name is not kept, and names with an equal beginning are told apart")
  func long() throws {
    let storages = OTLPMetricStorages()
    func metric(_ name: String) -> OTLPMetric {
      OTLPMetric(name: name, unit: "ms", data: OTLPMetricData(kind: .gauge))
    }
    let short = metric("my.own")
    #expect(try storages.storage(of: short) === storages.storage(of: short))
    let beginning = String(repeating: "x", count: 10_000)
    #expect(try storages.storage(of: metric(beginning)) !== storages.storage(of: metric(beginning)))
    // U+212A is equivalent to K, but not allowed in names.
    for name in ["aK20", "a\u{212A}20", "aK20"] {
      #expect(
        try storages.storage(of: metric(name)).mapping.reference
          == OTLPMetricStorage(metric(name)).mapping.reference, "\(name)")
    }
    let (one, other) = (metric("a" + beginning.prefix(100)), metric("a" + beginning.prefix(101)))
    #expect(try storages.storage(of: one).mapping.reference != storages.storage(of: other).mapping.reference)
  }
}

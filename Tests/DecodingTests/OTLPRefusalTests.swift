import OTLPMessages
import SwiftProtobuf
import Testing

@testable import Core
@testable import Ingest

@Suite("Refused parts of OTLP requests")
struct OTLPRefusalTests {
  @Test("points with impossible values are rejected, and the others are kept", arguments: [-1, .nan, .infinity, 2e15])
  func values(value: Double) throws {
    let metrics = [OTLP.metric("launch.resume", "ms", OTLP.gauge([OTLP.number(value), OTLP.number(5)]))]
    let decoded = try OTLP.decode(OTLP.request(metrics).serializedBytes(), as: .otlpMetrics(.protobuf))
    #expect(decoded.reports[0].values("launch.resume") == [.samples([5])])
    #expect(decoded.rejection?.count == 1)
    #expect(decoded.rejection?.message.hasPrefix("\"launch.resume\": ") == true)
  }

  @Test("a Summary is refused with all its points")
  func summary() throws {
    let data = PBMetric.OneOf_Data.summary(.with { $0.dataPoints = [.init(), .init(), .init()] })
    let refusal = try OTLP.refusal("launch.resume", "ms", data)
    #expect(refusal.count == 3 && refusal.message.contains("send a Histogram"))
  }

  @Test("sums for distributions, distributions for sums, and metrics that the server computes are refused")
  func kinds() throws {
    let one = OTLP.number(1)
    #expect(try OTLP.refusal("launch.resume", "ms", OTLP.sum([one])).message.contains("is a distribution"))
    #expect(try OTLP.refusal("time.foreground", "s", OTLP.gauge([one])).message.contains("is a sum"))
    for name in ["sessions", "users", "payloads", "hang.rate", "sessions.crash_free"] {
      #expect(try OTLP.refusal(name, "", OTLP.sum([one])).message.contains("computed by the server"), "\(name)")
    }
    #expect(try OTLP.refusal("launch.resume", "By", OTLP.gauge([one])).message.contains("stored in ms"))
    #expect(try OTLP.refusal("", "By", OTLP.gauge([one])).message.contains("no name"))
  }

  @Test("buckets that do not fit their bounds are refused")
  func buckets() throws {
    let pairs: [([Double], [UInt64])] = [
      ([1, 2], [1, 1]), ([2, 1], [1, 1, 1]), ([.nan], [1, 1]), ([1], []), ([1, 1], [1, 1, 1]),
    ]
    for (bounds, counts) in pairs {
      let request = OTLP.request([OTLP.metric("launch.resume", "ms", OTLP.histogram(bounds, counts))])
      let decoded = try OTLP.decode(request.serializedBytes(), as: .otlpMetrics(.protobuf))
      #expect(decoded.rejection?.count == 1 && decoded.reports.isEmpty, "\(bounds)")
    }
    let data = OTLP.histogram([1], [1, 1], .unspecified)
    #expect(try OTLP.refusal("launch.resume", "ms", data).message.contains("aggregationTemporality"))
  }

  @Test("a point without a recorded value is skipped")
  func noRecordedValue() throws {
    var point = OTLP.number(1)
    point.flags = 1
    let decoded = try OTLP.decode([OTLP.metric("launch.resume", "ms", OTLP.gauge([point]))])
    #expect(decoded == Decoded(reports: []))
  }

  @Test("a missing time, or one in the future, becomes the receipt's")
  func times() throws {
    let points = [OTLP.number(1, at: .max), OTLP.number(1, at: 0)]
    let report = try OTLP.decode([OTLP.metric("launch.resume", "ms", OTLP.gauge(points))]).reports[0]
    #expect(report.measurements.allSatisfy { $0.time == .instant(receiptTime) })
    #expect(report.assumedTimes == 1)
  }

  @Test("an empty OTLP request succeeds")
  func empty() throws {
    #expect(try OTLP.decode([], as: .otlpMetrics(.protobuf)) == Decoded(reports: []))
    #expect(try OTLP.decode(Array("{}".utf8), as: .otlpLogs(.json)) == Decoded(reports: []))
  }

  @Test("OTLP JSON has integers as strings or numbers, enums by number or name, and unknown members")
  func jsonMapping() throws {
    let text = """
      {"resourceMetrics":[{"resource":{"attributes":[],"unknown":[{"deep":{"er":1}}]},"schemaUrl":"x","scopeMetrics":[{"metrics":[
      {"name":"launch.resume","unit":"ms","histogram":{"aggregationTemporality":"AGGREGATION_TEMPORALITY_DELTA","dataPoints":[
      {"timeUnixNano":1795251600000000000,"count":3,"bucketCounts":["1",2],"explicitBounds":[5],"sum":"12.5",
      "exemplars":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","asDouble":3}]}]}},
      {"name":"launch.resume","unit":"ms","gauge":{"dataPoints":[{"timeUnixNano":"1795251600000000000","asInt":7}]}}]}]}]}
      """
    let decoded = try OTLP.decode(Array(text.utf8), as: .otlpMetrics(.json))
    #expect(decoded.rejection == nil)
    #expect(
      decoded.reports[0].values("launch.resume")
        == [.spans([Span(low: 0, high: 5, count: 1), Span(low: 5, high: .infinity, count: 2)]), .samples([7])])
    #expect(decoded.reports[0].measurements[0].extent == Extent(sum: 12.5))
  }

  @Test("a body that is not an OTLP message is refused with a reason")
  func malformed() throws {
    func failure(_ text: String, _ format: PayloadFormat) -> DecodingFailure? {
      do {
        _ = try OTLP.decode(Array(text.utf8), as: format)
        return nil
      } catch { return error }
    }
    #expect(failure("{\"resourceMetrics\":[", .otlpMetrics(.json))?.detail.contains("byte") == true)
    #expect(failure("{\"resourceMetrics\":[{\"scopeMetrics\":1}]}", .otlpMetrics(.json))?.reason == .type)
    #expect(failure("", .otlpLogs(.json))?.reason == .empty)
    #expect(failure("\u{0A}\u{7F}short", .otlpMetrics(.protobuf))?.reason == .syntax)
    #expect(failure("not protobuf at all", .otlpLogs(.protobuf))?.reason == .syntax)
  }
}

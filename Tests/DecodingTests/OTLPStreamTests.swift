import Decoding
import OTLPMessages
import Telemetry
import Testing

@Suite("What tells one OTLP stream from another")
struct OTLPStreamTests {
  private func stream(start: UInt64, _ attributes: KeyValuePairs<String, String> = [:]) throws -> UInt64? {
    var point = OTLP.number(5, OTLP.attributes(attributes))
    point.startTimeUnixNano = start
    let decoded = try OTLP.decode([OTLP.metric("my.total", "1", OTLP.sum([point], monotonic: true, .cumulative))])
    return decoded.reports[0].measurements[0].accumulation?.stream
  }

  @Test("its start counts to the nanosecond, and its attributes by key and value")
  func identity() throws {
    let first = try stream(start: OTLP.start, ["a": "b"])
    #expect(first != nil)
    #expect(try stream(start: OTLP.start, ["a": "b"]) == first)
    #expect(try stream(start: OTLP.start + 1, ["a": "b"]) != first)
    #expect(try stream(start: OTLP.start, ["a": "c"]) != first)
    #expect(try stream(start: OTLP.start, ["b": "b"]) != first)
    #expect(try stream(start: OTLP.start) != first)
  }
}

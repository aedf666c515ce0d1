import OTLPMessages
import Testing

@testable import Core
@testable import Ingest

@Suite("The identity of OTLP streams")
struct OTLPStreamIdentityTests {
  private func stream(start: UInt64, _ attributes: KeyValuePairs<String, String> = [:]) throws -> UInt64? {
    var point = OTLP.number(5, OTLP.attributes(attributes))
    point.startTimeUnixNano = start
    let decoded = try OTLP.decode([OTLP.metric("my.total", "1", OTLP.sum([point], monotonic: true, .cumulative))])
    return decoded.reports[0].measurements[0].accumulation?.stream
  }

  @Test("the name and unit of an OTLP metric distinguish its stream")
  func nameAndUnit() throws {
    func stream(_ name: String, _ unit: String) throws -> UInt64? {
      let metric = OTLP.metric(name, unit, OTLP.sum([OTLP.number(5)], monotonic: true, .cumulative))
      return try OTLP.decode([metric]).reports[0].measurements[0].accumulation?.stream
    }
    let first = try stream("my.total", "s")
    #expect(try first != nil && stream("my.total", "s") == first)
    #expect(try stream("my.total", "ms") != first)
    #expect(try stream("my.sum", "s") != first)
  }

  @Test("its start in nanoseconds and its attributes by key and value distinguish an OTLP stream")
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

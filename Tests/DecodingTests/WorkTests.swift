import Foundation
import HostileBodies
import SwiftProtobuf
import Testing
import TestSupport

@testable import Core
@testable import Ingest

private func decoded(_ bytes: [UInt8], _ format: PayloadFormat) -> Result<Decoded, DecodingFailure> {
  do throws(DecodingFailure) { return .success(try decode(bytes, as: format)) } catch { return .failure(error) }
}

@Suite("Work in proportion to the body")
struct WorkTests {
  /// The largest take seconds to make; `make conformance` measures all of them. Those of which very many parts are refused
  /// are left to it, too: Swift Testing takes a backtrace of every error that is thrown, 8 µs each.
  private static let quick = [
    "native: crashes of sessions that were named, and of others", "native: sessions, each by a user of 8 MB",
    "native: threads without frames", "envelope: apps that are no objects",
    "MetricKit: diagnostics whose codes are no numbers", "MetricKit: diagnostics in a window of 8 MB",
    "MetricKit: payloads of nothing", "Sentry: aggregates of one user of 8 MB", "Sentry: session items that are none",
    "Sentry: events of nothing", "Sentry: metrics of nothing", "Sentry: items of made-up types",
    "OTLP: eight million empty points",
    "OTLP: 120,000 empty attributes of 120,000 empty records", "OTLP: as many empty points as are read",
    "OTLP: exceptions of one large resource", "OTLP: attributes of one name with large values",
    "OTLP: a stack of as many frames as fit", "OTLP: as many empty spans as are read",
    "OTLP: a record whose body comes in 60,000 parts", "OTLP: a histogram whose counts come in a million parts",
    "OTLP: points of a discarded kind",
    "OTLP JSON: empty points", ".crash: reports of one frame",
  ]

  /// What a plain body costs: payloads of a fleet, one a line. The least of three, for a machine with other work.
  private static let secondsPerPlainByte: Double = {
    let bytes = Array(String(repeating: completePayload.replacing("\n", with: " ") + "\n", count: 40).utf8)
    return (0..<3).map { _ in processorTime { _ = decoded(bytes, .sniffed) } / Double(bytes.count) }.min() ?? 1
  }()

  @Test("the worst body of a format costs no more than a plain one of a size that a phone may send", arguments: quick)
  func worst(name: String) throws {
    let body = try #require(HostileBody.all.first { $0.name == name })
    let bytes = body.bytes()
    var result: Result<Decoded, DecodingFailure>?
    var seconds = processorTime { result = decoded(bytes, body.format) }
    // Small bodies may cost what 4 MB of plain ones do. Generous, because the machine has other work: `make conformance`
    // is stricter, and before there were limits these took minutes.
    let plain = Self.secondsPerPlainByte * Double(max(bytes.count, 4 << 20))
    // The least of a few, as for the plain body.
    for _ in 0..<2 where seconds >= plain * 20 {
      seconds = min(seconds, processorTime { _ = decoded(bytes, body.format) })
    }
    #expect(seconds < plain * 20, "\(seconds) s, and \(plain) s for a plain body")
    switch try #require(result) {
    case .success: #expect(body.isRead)
    case .failure(let failure):
      #expect(!body.isRead && failure.reason == .value || failure.reason == .type, "\(failure)")
    }
  }

  @Test("an honest client's request is read completely")
  func honest() throws {
    let sessions = (0..<1_000).map { #"{"id": "\#($0)", "status": "exited", "started": "2026-11-20T10:00:00Z"}"# }
    let native = try decode(#"{"app": {"version": "1"}, "sessions": [\#(sessions.joined(separator: ","))]}"#)
    #expect(native[0].sessions.count == 1_000)

    let line = completePayload.replacing("\n", with: " ")
    #expect(try decode(Array(repeating: line, count: 500).joined(separator: "\n")).count == 500)

    let attributes = OTLP.attributes([
      "screen": "Cart", "os": "17", "a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6",
    ])
    let points = (0..<10_000).map { OTLP.number(Double($0), attributes) }
    let metrics = OTLP.request([OTLP.metric("my.level", "ms", OTLP.gauge(points))])
    let read = try OTLP.decode(metrics.serializedBytes(), as: .otlpMetrics(.protobuf))
    #expect(read.reports.first?.measurements.count == 10_000 && read.rejection == nil)

    // Ten minutes of a server with fifty users.
    let buckets = (0..<500).map { number in
      #"{"started": "2026-11-20T10:0\#(number % 10):00Z", "did": "u\#(number % 50)", "exited": 15, "errored": 3, "crashed": 1}"#
    }
    let aggregates = envelope(
      ("sessions", #"{"aggregates": [\#(buckets.joined(separator: ","))], "attrs": {"release": "a@1"}}"#))
    let expanded = try decode(envelope: aggregates)
    #expect(expanded.reports.first?.sessions.count == 9_500 && expanded.rejection == nil)
  }

  @Test("a request beyond a limit is refused with the path of the first part beyond it")
  func limits() throws {
    func refusal(_ text: String) -> DecodingFailure? { failure(text) }
    func list(_ count: Int, _ text: String) -> String { Array(repeating: text, count: count).joined(separator: ",") }
    #expect(
      refusal(#"{"sessions": [\#(list(20_001, #"{"status":"ok"}"#))]}"#)
        == DecodingFailure(
          .value, path: "sessions[20000]", "a request may have at most 20000 sessions; split it"))
    #expect(refusal(#"{"app": {}, "crashes": [\#(list(2_001, "{}"))]}"#)?.path == "crashes[2000]")
    // All documents of a request are counted together.
    let half = #"{"app": {}, "crashes": [\#(list(1_001, "{}"))]}"#
    #expect(refusal("\(half)\n\(half)")?.path == "[1].crashes[999]")
    #expect(
      refusal(#"{"app": {}, "measurements": [\#(list(40_001, #"{"metric":"m","value":1}"#))]}"#)?.path
        == "measurements[40000]")
    #expect(
      refusal(#"{"app": {}, "counters": [\#(list(40_001, #"{"metric":"m","value":1}"#))]}"#)?.path == "counters[40000]")
    #expect(
      refusal(
        #"{"app": {}, "histograms": [{"metric":"m","bounds":[\#((0...20_000).map { "\($0 + 1)" }.joined(separator: ","))],"counts":[]}]}"#
      )?.path == "histograms[0].bounds")
    let images = list(20_001, "{}")
    #expect(
      refusal(#"{"bug_type": "309", "usedImages": [\#(images)], "threads": []}"#)?.path == "usedImages[20000]")
  }

  @Test("the binaries that a call tree lists in addition to its frames are limited")
  func binaries() {
    let list = Array(repeating: "{}", count: 20_001).joined(separator: ",")
    let body = #"{"timeStampBegin":1795000000,"crashDiagnostics":[{"callStackTree":{"binaryInfo":[\#(list)]}}]}"#
    #expect(failure(body)?.path.hasSuffix("binaryInfo[20000]") == true)
  }

  @Test("an exponential histogram keeps 1,024 non-empty buckets at a coarser scale, with all its values")
  func exponentialBuckets() throws {
    let metric = OTLP.metric(
      "my.level", "1", OTLP.exponential(scale: 6, offset: 0, Array(repeating: 1, count: 3_000)))
    let value = try OTLP.decode([metric]).reports[0].measurements[0].value
    guard case .exponential(let histogram) = value else {
      Issue.record("\(value)")
      return
    }
    // Two steps of the scale join four buckets each.
    #expect(histogram.scale == 4 && histogram.buckets.count == 750)
    #expect(histogram.buckets.allSatisfy { $0.count == 4 })
    let full = OTLP.metric("my.level", "1", OTLP.exponential(scale: 6, offset: 0, Array(repeating: 1, count: 1_024)))
    guard case .exponential(let kept) = try OTLP.decode([full]).reports[0].measurements[0].value else {
      Issue.record("no exponential histogram")
      return
    }
    #expect(kept.scale == 6 && kept.buckets.count == 1_024)
  }

  @Test("messages of a protobuf request are counted while reading")
  func wire() throws {
    func refusal(_ bytes: [UInt8], _ format: PayloadFormat) -> DecodingFailure? {
      guard case .failure(let failure) = decoded(bytes, format) else { return nil }
      return failure
    }
    let points = OTLP.request([
      OTLP.metric("a", "", OTLP.gauge([])),
      OTLP.metric("m", "", OTLP.gauge(Array(repeating: OTLP.number(1), count: 25_001))),
    ])
    #expect(
      try refusal(points.serializedBytes(), .otlpMetrics(.protobuf))
        == DecodingFailure(
          .value, path: "resourceMetrics[0].scopeMetrics[0].metrics[1].gauge[0].dataPoints[25000]",
          "a request may have at most 25000 data points, log records or spans; split it"))
    #expect(try refusal(points.jsonUTF8Bytes(), .otlpMetrics(.json))?.reason == .value)
    let attributes = OTLP.request([], resource: Array(repeating: OTLP.attributes(["a": "b"])[0], count: 125_001))
    let path = try refusal(attributes.serializedBytes(), .otlpMetrics(.protobuf))?.path
    #expect(path?.hasPrefix("resourceMetrics[0].resource[0].attributes[124999]") == true, "\(path ?? "")")
    // Counts of buckets, packed and one by one.
    let buckets = OTLP.metric("h", "", OTLP.exponential(scale: 6, offset: 0, Array(repeating: 1, count: 2_000_001)))
    #expect(
      try refusal(OTLP.request([buckets]).serializedBytes(), .otlpMetrics(.protobuf))?.path.hasSuffix(
        "dataPoints[0].positive[0]") == true)
  }

  @Test("long ids stay distinct and cost no more than short ones")
  func ids() throws {
    let long = String(repeating: "u", count: 5_000)
    let sessions = [long + "a", long + "b", long + "a"].map { #"{"id": "\#($0)", "status": "ok"}"# }
    let report = try decode(#"{"installation": "\#(long)", "sessions": [\#(sessions.joined(separator: ","))]}"#)[0]
    #expect(Set(report.sessions.map(\.id)).count == 2 && report.sessions[0].id == report.sessions[2].id)
    #expect(report.sessions.allSatisfy { $0.id.utf8.count < 100 && ($0.user?.utf8.count ?? 0) < 100 })
    let short = try decode(#"{"installation": "install-1", "sessions": [{"id": "s", "status": "ok"}]}"#)[0]
    #expect(short.sessions[0].id == "s" && short.sessions[0].user == "install-1")
  }
}

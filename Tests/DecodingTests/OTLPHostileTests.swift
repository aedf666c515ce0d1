import Foundation
import OTLPMessages
import SwiftProtobuf
import Testing
import TestSupport

@testable import Core
@testable import Ingest

private let shared = Checkout.collected("fixtures/otlp")

/// Pairs of one request in protobuf and JSON beside the repository; read in place where they exist.
private func collected() -> [URL] {
  let files = FileManager.default.enumerator(at: shared, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
  return files.filter { $0.pathExtension == "bin" }.sorted { $0.path < $1.path }
}

@Suite("OTLP bodies from other sources")
struct OTLPHostileTests {
  private static let everything: [PBMetric] = [
    OTLP.metric("launch.resume", "s", OTLP.histogram([1, 2], [1, 2, 3], sum: 9, min: 0.5, max: 4, .cumulative)),
    OTLP.metric("screen.load", "ms", OTLP.exponential(scale: 9, offset: 40, [1, 2, 3], zeros: 1, threshold: 0.1)),
    OTLP.metric("my.own", "1", OTLP.sum([OTLP.number(3, OTLP.resource)])),
    OTLP.metric("my.level", "", OTLP.gauge([OTLP.number(3)])),
  ]

  @Test(
    "collected requests give the same result in protobuf and JSON",
    .enabled(if: Collected.exists(shared), "There are no collected requests beside the repository."),
    arguments: collected())
  func sameInBoth(file: URL) throws {
    let json = file.deletingPathExtension().appendingPathExtension("json")
    let one = try OTLP.decode([UInt8](Data(contentsOf: file)), as: .otlpMetrics(.protobuf))
    let other = try OTLP.decode([UInt8](Data(contentsOf: json)), as: .otlpMetrics(.json))
    #expect(one == other)
    let report = try #require(one.reports.first)
    #expect(report.device.model == "iPhone17,1" && report.release == Release(version: "1.4.2", build: "77"))
    // The last export of a delta stream holds no histogram any more.
    let histograms = report.measurements.filter { $0.metric.name == "app.launch.duration" }
    #expect(!histograms.isEmpty || file.path.hasSuffix("delta/003.bin"))
    for histogram in histograms { #expect(histogram.extent != nil) }
  }

  @Test(
    "OTLP's own example is read",
    .enabled(if: Collected.exists(shared), "There are no collected requests beside the repository."))
  func example() throws {
    let file = shared.appending(path: "otel-proto-example-metrics.json")
    let decoded = try OTLP.decode([UInt8](Data(contentsOf: file)), as: .otlpMetrics(.json))
    #expect(
      decoded.reports[0].measurements.map(\.metric.name).sorted() == [
        "my.counter", "my.exponential.histogram", "my.gauge", "my.histogram",
      ])
  }

  @Test("every prefix of an OTLP request is read or refused")
  func prefixes() throws {
    let decoder = PayloadDecoder()
    let message = OTLP.request(Self.everything)
    for (bytes, encoding) in try [
      (message.serializedBytes() as [UInt8], OTLPEncoding.protobuf), (message.jsonUTF8Bytes(), .json),
    ] {
      for length in 0...bytes.count {
        let part = Array(bytes[..<length])
        let metrics = Result { try OTLP.decode(part, as: .otlpMetrics(encoding), with: decoder) }
        let logs = Result { try OTLP.decode(part, as: .otlpLogs(encoding), with: decoder) }
        // JSON that ends early is no JSON; a protobuf message may end behind any field.
        if encoding == .json, length < bytes.count {
          #expect(throws: DecodingFailure.self) { try metrics.get() }
          #expect(throws: DecodingFailure.self) { try logs.get() }
        }
        if length == bytes.count { #expect(try metrics.get().reports.isEmpty == false) }
      }
    }
  }

  @Test("an OTLP request with any mutation is read or refused, and its values are valid", arguments: 0..<4)
  func mutations(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let decoder = PayloadDecoder()
    let message = OTLP.request(Self.everything)
    let originals: [([UInt8], OTLPEncoding)] = try [
      (message.serializedBytes(), .protobuf), (message.jsonUTF8Bytes(), .json),
    ]
    var (read, refused) = (0, 0)
    for round in 0..<1500 {
      var (bytes, encoding) = originals[round % 2]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
        }
      }
      guard let decoded = try? OTLP.decode(bytes, as: .otlpMetrics(encoding), with: decoder) else {
        refused += 1
        continue
      }
      read += 1
      for reading in decoded.reports.flatMap(\.measurements) { #expect(Self.isSound(reading.value)) }
    }
    #expect(read > 100 && refused > 100, "\(read) read, \(refused) refused")
  }

  private static func isSound(_ value: Core.Measurement.Value) -> Bool {
    switch value {
    case .samples(let samples): samples.allSatisfy { $0 >= 0 && $0 <= 1e15 }
    case .counter(let sum): sum >= 0 && sum <= 1e15
    case .spans(let spans): spans.allSatisfy { $0.low >= 0 && $0.low <= $0.high && $0.low <= 1e15 && $0.count > 0 }
    case .exponential(let buckets): buckets.zeros >= 0 && buckets.buckets.allSatisfy { $0.count > 0 }
    }
  }

  @Test("values with endless nesting are refused in both encodings")
  func depth() throws {
    // Field 5 of AnyValue is an ArrayValue, whose field 1 is an AnyValue: each level wraps the bytes before.
    var value: [UInt8] = [0x0A, 0x01, 0x78]
    for level in 0..<20_000 {
      let tag: UInt8 = level % 2 == 0 ? 0x0A : 0x2A
      value = [tag] + varint(value.count) + value
      if value.count > 100_000 { break }
    }
    let attribute = [0x0A, 0x01, 0x6B, 0x12] + varint(value.count) + value
    let resource = [0x0A] + varint(attribute.count) + attribute
    let part = [0x0A] + varint(resource.count) + resource
    let body = [0x0A] + varint(part.count) + part
    #expect(throws: DecodingFailure.self) { try OTLP.decode(body, as: .otlpMetrics(.protobuf)) }
    let depth = 3000
    let json =
      "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"k\",\"value\":"
      + String(repeating: "{\"arrayValue\":{\"values\":[", count: depth) + "{}"
      + String(repeating: "]}}", count: depth) + "}]}}]}"
    #expect(throws: DecodingFailure.self) { try OTLP.decode(Array(json.utf8), as: .otlpMetrics(.json)) }
    let unknown = String(repeating: "{\"x\":", count: 100_000) + "1" + String(repeating: "}", count: 100_000)
    #expect(throws: DecodingFailure.self) { try OTLP.decode(Array(unknown.utf8), as: .otlpMetrics(.json)) }
    func lists(_ count: Int) -> [UInt8] {
      Array("{\"x\":\(String(repeating: "[", count: count))\(String(repeating: "]", count: count))}".utf8)
    }
    #expect(try OTLP.decode(lists(8_000), as: .otlpMetrics(.json)) == Decoded(reports: []), "skipped flat")
    #expect(throws: DecodingFailure.self) { try OTLP.decode(lists(100_000), as: .otlpMetrics(.json)) }
  }

  private func varint(_ number: Int) -> [UInt8] {
    var rest = number
    var bytes: [UInt8] = []
    while rest > 127 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  @Test("lengths beyond the body of an OTLP request are refused")
  func lengths() {
    for length: [UInt8] in [
      [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x05],
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
    ] {
      #expect(throws: DecodingFailure.self) { try OTLP.decode([0x0A] + length + [1, 2], as: .otlpMetrics(.protobuf)) }
      #expect(throws: DecodingFailure.self) { try OTLP.decode([0x7A] + length, as: .otlpLogs(.protobuf)) }
    }
  }
}

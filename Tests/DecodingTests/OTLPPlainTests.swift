@testable import Decoding
import Foundation
import JSON
import OTLPMessages
import SwiftProtobuf
import Testing

/// The readers of plain OTLP requests against swift-protobuf, which decides what a request means.
@Suite("Plain OTLP requests")
struct OTLPPlainTests {
  private let request: OTLPExportMetricsServiceRequest = {
    var metrics = [
      OTLP.metric("launch.first_draw", "ms", OTLP.gauge([OTLP.number(420.5), OTLP.number(0)])),
      OTLP.metric("time.foreground", "s", OTLP.sum([OTLP.number(7)])),
      OTLP.metric("own.sum", "", OTLP.sum([OTLP.number(1e300)], monotonic: false, .cumulative)),
      OTLP.metric(
        "screen.load", "ms",
        OTLP.histogram(
          [50, 100.25, 1e9], [3, 0, 1_000_000_000_000_000_000, 1], sum: 12.5, min: 0, max: 7,
          attributes: OTLP.attributes(["screen": "Zoë \"1\"\n🚀", "b": ""]), .cumulative)),
      OTLP.metric(
        "hang.duration", "ms", OTLP.exponential(scale: -3, offset: -7, [1, 200, 0], zeros: 4, negative: [5])),
    ]
    metrics[0].gauge.dataPoints[1].asInt = -9_007_199_254_740_993
    metrics[0].gauge.dataPoints[1].flags = 1
    metrics[1].sum.dataPoints[0].attributes = [
      .with { ($0.key, $0.value.intValue) = ("int", -5) }, .with { ($0.key, $0.value.boolValue) = ("flag", true) },
      .with { ($0.key, $0.value.doubleValue) = ("double", 0.1) }, .with { $0.key = "none" },
      .with { ($0.key, $0.value) = ("empty", .init()) },
    ]
    var request = OTLP.request(metrics)
    request.resourceMetrics[0].scopeMetrics[0].scope = .with { ($0.name, $0.version) = ("shop", "1") }
    request.resourceMetrics.append(.init())
    return request
  }()

  @Test("in JSON are read as swift-protobuf wrote them")
  func json() throws {
    let plain = try plainJSON(request.jsonUTF8Bytes())
    #expect(plain == request)
  }

  @Test("in protobuf are read as swift-protobuf wrote them")
  func wire() throws {
    let plain: OTLPExportMetricsServiceRequest? = try plainWire(request.serializedBytes())
    #expect(plain == request)
  }

  @Test(
    "in other spellings of JSON are left to swift-protobuf, or read as it reads them",
    arguments: [
      (#""timeUnixNano""#, #""time_unix_nano""#), (#""sum":12.5"#, #""sum":"12.5""#), (#""sum":12.5"#, #""sum":"NaN""#),
      (#""sum":12.5"#, #""sum":null"#), (#""sum":12.5"#, #""sum":-0"#), (#""sum":12.5"#, #""sum":-0.0"#),
      (#""sum":12.5"#, #""sum":1,"sum":2"#), (#""count""#, #""count":"07","x""#), (#""count""#, #""count":1.0,"x""#),
      (#""count""#, #""count":-0,"x""#), (#""count""#, #""count":"18446744073709551616","x""#),
      (#""isMonotonic":true"#, #""isMonotonic":"true""#), (#""isMonotonic":true"#, #""isMonotonic":1"#),
      (#""AGGREGATION_TEMPORALITY_DELTA""#, "1"), (#""AGGREGATION_TEMPORALITY_DELTA""#, "3"),
      (#""AGGREGATION_TEMPORALITY_DELTA""#, #""DELTA""#), (#""asDouble":420.5"#, #""asDouble":420.5,"asInt":"1""#),
      (#""gauge":"#, #""sum":{},"gauge":"#), (#""gauge":"#, #""summary":{},"gauge":"#),
      (#""stringValue":"iOS""#, #""stringValue":"iOS","intValue":"1""#),
      (#""stringValue":"iOS""#, #""bytesValue":"AA==""#),
      (#""stringValue":"iOS""#, #""arrayValue":{"values":[{"intValue":1}]}"#), (#""unit":"ms""#, #""unit":"\u006ds""#),
      (#""unit":"ms""#, #""unit":"ms","exemplars":[],"schemaUrl":"x","deep":{"a":[[[]]]}"#),
      (#""scale":-3"#, #""scale":"-3""#),
      (#""scale":-3"#, #""scale":2147483648"#), (#""attributes":["#, #""attributes":[null,"#),
      (#""attributes":["#, #""attributes":null,"x":["#), (#""flags":1"#, #""flags":4294967296"#),
    ])
  func spellings(text: String, other: String) throws {
    let json = try request.jsonString()
    let start = try #require(json.range(of: text))
    try compareJSON(Array((json[..<start.lowerBound] + other + json[start.upperBound...]).utf8))
    try compareJSON(Array("\u{FEFF}\(json)".utf8))
  }

  @Test("with damaged bytes are left to swift-protobuf, or read as it reads them")
  func damaged() throws {
    var random = SplitMix(state: 5)
    let (json, wire): ([UInt8], [UInt8]) = (try request.jsonUTF8Bytes(), try request.serializedBytes())
    var (plainJSON, plainWire) = (0, 0)
    for _ in 0..<1_000 {
      if try compareJSON(Self.damaged(json, &random)) { plainJSON += 1 }
      if try compareWire(Self.damaged(wire, &random)) { plainWire += 1 }
    }
    #expect(plainJSON > 50 && plainWire > 50, "\(plainJSON) and \(plainWire) were read")
  }

  private static func damaged(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes.remove(at: at)
      case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: at)
      default:
        let end = min(bytes.count, at + Int.random(in: 1...30, using: &random))
        bytes.insert(contentsOf: bytes[at..<end], at: at)
      }
    }
    return bytes
  }

  // Compared as bytes, because NaN differs from itself. False if the bytes were left to swift-protobuf.
  @discardableResult private func compareJSON(_ bytes: [UInt8]) throws -> Bool {
    guard let plain = plainJSON(bytes) else { return false }
    try compare(plain, bytes, isJSON: true)
    return true
  }

  @discardableResult private func compareWire(_ bytes: [UInt8]) throws -> Bool {
    guard let plain = plainWire(bytes) else { return false }
    try compare(plain, bytes, isJSON: false)
    return true
  }

  private func compare(_ plain: OTLPExportMetricsServiceRequest, _ bytes: [UInt8], isJSON: Bool) throws {
    let whole: [UInt8] = try OTLPExportMetricsServiceRequest.read(bytes, isJSON: isJSON).serializedBytes()
    let read: [UInt8] = try plain.serializedBytes()
    #expect(read == whole, "\(String(decoding: bytes, as: UTF8.self))")
  }

  private func plainJSON(_ bytes: [UInt8]) -> OTLPExportMetricsServiceRequest? {
    bytes.withUnsafeBytes { OTLPPlainJSON.metrics(in: $0, JSONParser()) }
  }

  private func plainWire(_ bytes: [UInt8]) -> OTLPExportMetricsServiceRequest? {
    bytes.withUnsafeBytes { OTLPPlainWire.metrics(in: $0) }
  }
}

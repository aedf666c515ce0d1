import Foundation
import OTLPMessages
import SwiftProtobuf
import Testing
import TestSupport

@testable import Core
@testable import Ingest

/// The reader of OTLP against swift-protobuf, which reads the same messages by code that was generated for them.
///
/// A failure names its seed as the argument: put it here to see the failure again.
@Suite("OTLP compared with swift-protobuf")
struct OTLPDifferentialTests {
  private static let seeds: [UInt64] = [1, .random(in: 2...999_999)]
  private static let rounds = 900

  @Test("OTLP requests built field by field in protobuf are read as swift-protobuf reads them", arguments: seeds)
  func wire(seed: UInt64) {
    var generator = OTLPGenerator(random: SeededRandom(seed: seed))
    var tally = Tally()
    for round in 0..<Self.rounds { compareWire(generator.wire(Self.signals[round % 3]), round, &tally) }
    #expect(tally.read > 200 && tally.refused > 50, "\(tally)")
  }

  @Test("OTLP requests built member by member in JSON are read as swift-protobuf reads them", arguments: seeds)
  func json(seed: UInt64) {
    var generator = OTLPGenerator(random: SeededRandom(seed: seed))
    var tally = Tally()
    for round in 0..<Self.rounds { compareJSON(Array(generator.json(Self.signals[round % 3]).utf8), round, &tally) }
    #expect(tally.read > 200 && tally.refused > 50, "\(tally)")
  }

  @Test("damaged OTLP requests are read or refused like in swift-protobuf", arguments: seeds)
  func damaged(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (metrics, logs, traces) = (Self.metrics, Self.logs, Self.traces)
    let wire: [[UInt8]] = try [metrics.serializedBytes(), logs.serializedBytes(), traces.serializedBytes()]
    let json: [[UInt8]] = try [metrics.jsonUTF8Bytes(), logs.jsonUTF8Bytes(), traces.jsonUTF8Bytes()]
    var (inWire, inJSON) = (Tally(), Tally())
    for round in 0..<Self.rounds {
      compareWire(Self.damaged(wire[round % 3], &random), round, &inWire)
      compareJSON(Self.damaged(json[round % 3], &random), round, &inJSON)
    }
    #expect(inWire.read > 50 && inWire.refused > 50 && inJSON.read > 25, "\(inWire), \(inJSON)")
  }

  @Test(
    "other spellings of OTLP in JSON are read as swift-protobuf reads them",
    arguments: [
      (#""timeUnixNano""#, #""time_unix_nano""#), (#""sum":12.5"#, #""sum":"12.5""#), (#""sum":12.5"#, #""sum":"NaN""#),
      (#""sum":12.5"#, #""sum":null"#), (#""sum":12.5"#, #""sum":-0.0"#), (#""sum":12.5"#, #""sum":1,"sum":2"#),
      (#""sum":12.5"#, #""sum":1,"sum":null"#), (#""count""#, #""count":"07","x""#), (#""count""#, #""count":1.0,"x""#),
      (#""count""#, #""count":"18446744073709551616","x""#), (#""isMonotonic":true"#, #""isMonotonic":"true""#),
      (#""isMonotonic":true"#, #""isMonotonic":1"#), (#""AGGREGATION_TEMPORALITY_DELTA""#, "1"),
      (#""AGGREGATION_TEMPORALITY_DELTA""#, "3"), (#""AGGREGATION_TEMPORALITY_DELTA""#, #""DELTA""#),
      (#""asDouble":420.5"#, #""asDouble":420.5,"asInt":"1""#),
      (#""asDouble":420.5"#, #""asDouble":420.5,"asInt":null"#),
      (#""gauge":"#, #""sum":{},"gauge":"#), (#""gauge":"#, #""summary":{},"gauge":"#),
      (#""stringValue":"iOS""#, #""stringValue":"iOS","intValue":"1""#),
      (#""stringValue":"iOS""#, #""bytesValue":"AA==""#),
      (#""stringValue":"iOS""#, #""arrayValue":{"values":[{"intValue":1},{"kvlistValue":{}}]}"#),
      (#""unit":"ms""#, #""unit":"\u006ds""#), (#""unit":"ms""#, #""\u0075nit":"s""#),
      (#""unit":"ms""#, #""unit":"ms","exemplars":[],"schemaUrl":"x","deep":{"a":[[[]]]}"#),
      (#""scale":-3"#, #""scale":"-3""#), (#""scale":-3"#, #""scale":2147483648"#),
      (#""attributes":["#, #""attributes":[null,"#), (#""attributes":["#, #""attributes":null,"x":["#),
      (#""flags":1"#, #""flags":4294967296"#),
    ])
  func spellings(text: String, other: String) throws {
    let json = try Self.metrics.jsonString()
    let start = try #require(json.range(of: text))
    var tally = Tally()
    compareJSON(Array((json[..<start.lowerBound] + other + json[start.upperBound...]).utf8), 0, &tally)
  }

  @Test("values nested at the limit are read, and one level deeper is refused", arguments: 26...31)
  func depth(lists: Int) throws {
    var value = OTLP.value("x")
    for level in 0..<lists {
      let inner = value
      value =
        level.isMultiple(of: 2)
        ? .with { $0.arrayValue.values = [inner] }
        : .with { $0.kvlistValue.values = [.with { $0.value = inner }] }
    }
    let request = OTLP.request([], resource: [.with { $0.value = value }])
    var (inWire, inJSON) = (Tally(), Tally())
    compareWire(try request.serializedBytes(), 0, &inWire)
    compareJSON(try request.jsonUTF8Bytes(), 0, &inJSON)
    #expect(inWire.read == inJSON.read)
  }

  // MARK: - Comparing

  private static let signals = ["metrics", "logs", "traces"]

  private struct Tally {
    var read = 0
    var refused = 0
  }

  private func compareWire(_ bytes: [UInt8], _ signal: Int, _ tally: inout Tally) {
    let found = read(bytes, .protobuf, signal)
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = 64
    options.discardUnknownFields = true
    let expected =
      switch signal % 3 {
      case 0:
        try? "\(OTLPMetricsContent(PBExportMetricsServiceRequest(serializedBytes: bytes, options: options)))"
      case 1:
        try? "\(OTLPExportLogsServiceRequest(PBExportLogsServiceRequest(serializedBytes: bytes, options: options)))"
      default:
        try? "\(OTLPExportTraceServiceRequest(PBExportTraceServiceRequest(serializedBytes: bytes, options: options)))"
      }
    #expect(found == expected, "\(bytes)")
    if found == nil { tally.refused += 1 } else { tally.read += 1 }
  }

  private func compareJSON(_ bytes: [UInt8], _ signal: Int, _ tally: inout Tally) {
    // swift-protobuf does not look into texts of unknown members, and reads −0.
    let isJSON = (try? bytes.withUnsafeBytes { try JSONParser().withDocument($0) { _ in true } }) ?? false
    let text = String(decoding: bytes, as: UTF8.self)
    guard isJSON, !text.hasPrefix("\u{FEFF}"),
      text.range(of: "-0(\\.0*)?(?![.0-9])", options: .regularExpression) == nil
    else {
      return
    }
    let found = read(bytes, .json, signal)
    var options = JSONDecodingOptions()
    options.messageDepthLimit = 64
    options.ignoreUnknownFields = true
    let expected =
      switch signal % 3 {
      case 0:
        try? "\(OTLPMetricsContent(PBExportMetricsServiceRequest(jsonUTF8Bytes: bytes, options: options)))"
      case 1: try? "\(OTLPExportLogsServiceRequest(PBExportLogsServiceRequest(jsonUTF8Bytes: bytes, options: options)))"
      default:
        try? "\(OTLPExportTraceServiceRequest(PBExportTraceServiceRequest(jsonUTF8Bytes: bytes, options: options)))"
      }
    #expect(found == expected, "\(text)")
    if found == nil { tally.refused += 1 } else { tally.read += 1 }
  }

  /// The request as the product reads it, as text, because NaN differs from itself; nil if it is refused.
  private func read(_ bytes: [UInt8], _ encoding: OTLPEncoding, _ signal: Int) -> String? {
    bytes.withUnsafeBytes { body in
      switch signal % 3 {
      case 0:
        try? {
          var content = OTLPMetricsContent()
          try encoding.read(body, JSONParser(), with: &content)
          return "\(content)"
        }()
      case 1: try? "\(encoding.request(body, JSONParser()) as OTLPExportLogsServiceRequest)"
      default: try? "\(encoding.request(body, JSONParser()) as OTLPExportTraceServiceRequest)"
      }
    }
  }

  private static func damaged(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
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

  // MARK: - Requests

  private static let nested: PBAnyValue = .with {
    $0.arrayValue.values = [
      OTLP.value("Zoë"), .with { $0.kvlistValue.values = OTLP.attributes(["a": "b"]) }, .init(),
      .with { $0.doubleValue = 0.1 },
    ]
  }

  private static let metrics: PBExportMetricsServiceRequest = {
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
      OTLP.metric("quantiles", "ms", .summary(.with { $0.dataPoints = [.with { $0.timeUnixNano = 7 }] })),
    ]
    metrics[0].gauge.dataPoints[1].asInt = -9_007_199_254_740_993
    metrics[0].gauge.dataPoints[1].flags = 1
    metrics[1].sum.dataPoints[0].attributes = [
      .with { ($0.key, $0.value.intValue) = ("int", -5) }, .with { ($0.key, $0.value.boolValue) = ("flag", true) },
      .with { ($0.key, $0.value.doubleValue) = ("double", 0.1) }, .with { $0.key = "none" },
      .with { ($0.key, $0.value) = ("nested", nested) },
    ]
    var request = OTLP.request(metrics)
    request.resourceMetrics[0].scopeMetrics[0].scope = .with { ($0.name, $0.version) = ("shop", "1") }
    request.resourceMetrics.append(.init())
    return request
  }()

  private static let logs: PBExportLogsServiceRequest = .with {
    $0.resourceLogs = [
      .with {
        $0.resource.attributes = OTLP.resource
        $0.scopeLogs = [
          .with {
            $0.scope.name = "shop"
            $0.logRecords = [
              .with {
                ($0.timeUnixNano, $0.observedTimeUnixNano, $0.severityNumber) = (OTLP.at, OTLP.start, 17)
                ($0.eventName, $0.body) = ("e", nested)
                $0.attributes = OTLP.attributes(["exception.type": "E", "session.id": "s"])
              }, .with { $0.body = .init() },
            ]
          }
        ]
      }
    ]
  }

  private static let traces: PBExportTraceServiceRequest = .with {
    $0.resourceSpans = [
      .with {
        $0.resource.attributes = OTLP.resource
        $0.scopeSpans = [
          .with {
            $0.spans = [
              .with {
                ($0.name, $0.startTimeUnixNano) = ("MXMetricPayload", OTLP.at)
                $0.attributes = [.with { ($0.key, $0.value.doubleValue) = ("metrickit.gpu.time", 1.5) }]
              }
            ]
          }
        ]
      }
    ]
  }
}

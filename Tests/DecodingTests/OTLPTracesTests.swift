import OTLPMessages
import SwiftProtobuf
import Testing

@testable import Core
@testable import Ingest

/// Requests of `/v1/traces`: the span that opentelemetry-swift's MetricKit instrumentation makes of a payload, with the
/// names and base units of its own tests (MetricKitInstrumentationTests.swift), and whatever else a client traces.
@Suite("OTLP traces")
struct OTLPTracesTests {
  private static func attribute(_ key: String, _ value: PBAnyValue.OneOf_Value) -> PBKeyValue {
    .with {
      $0.key = key
      $0.value.value = value
    }
  }

  private static func span(_ attributes: [PBKeyValue], name: String = "MXMetricPayload") -> PBSpan {
    .with {
      $0.name = name
      // Midnight of 2026-11-20 in a zone an hour ahead of UTC.
      $0.startTimeUnixNano = 1_795_129_200_000_000_000
      $0.attributes = attributes
    }
  }

  private static func numbers(_ pairs: KeyValuePairs<String, Double>) -> [PBKeyValue] {
    pairs.map { attribute("metrickit." + $0.key, .doubleValue($0.value)) }
  }

  private static let state = [
    attribute("metrickit.latest_application_version", .stringValue("4.1.0")),
    attribute("metrickit.includes_multiple_application_versions", .boolValue(false)),
    attribute("metrickit.metadata.app_build_version", .stringValue("1200")),
    attribute("metrickit.metadata.device_type", .stringValue("iPhone12,1")),
    attribute("metrickit.metadata.os_version", .stringValue("iPhone OS 17.3 (21D50)")),
    attribute("metrickit.metadata.pid", .intValue(29)),
  ]

  private static func decode(_ spans: [PBSpan]) throws -> Decoded {
    let request = PBExportTraceServiceRequest.with { request in
      request.resourceSpans = [
        .with {
          $0.resource.attributes = OTLP.resource
          $0.scopeSpans = [.with { $0.spans = spans }]
        }
      ]
    }
    let decoded = try OTLP.decode(request.serializedBytes(), as: .otlpTraces(.protobuf))
    #expect(try OTLP.decode(request.jsonUTF8Bytes(), as: .otlpTraces(.json)) == decoded)
    return decoded
  }

  private static func values(_ decoded: Decoded) -> [String: Double] {
    let all = decoded.reports.flatMap(\.measurements).map { measurement -> (String, Double) in
      switch measurement.value {
      case .samples(let samples): (measurement.metric.name + " " + measurement.metric.unit.symbol, samples[0])
      case .counter(let sum): (measurement.metric.name, sum)
      default: (measurement.metric.name, .nan)
      }
    }
    return Dictionary(all, uniquingKeysWith: { first, _ in first })
  }

  @Test("a payload's span has the payload's numbers, release and device, on the device's day")
  func payload() throws {
    let exits = [
      Self.attribute("metrickit.app_exit.foreground.memory_resource_limit_exit-count", .intValue(31)),
      Self.attribute("metrickit.app_exit.background.bad_access-exit_count", .intValue(40)),
      Self.attribute("metrickit.app_exit.foreground.normal_app_exit_count", .intValue(30)),
    ]
    let measured = Self.numbers([
      "cpu.cpu_time": 1.5, "cpu.instruction_count": 2, "gpu.time": 10800, "app_time.foreground_time": 300,
      "location_activity.accuracy_10m_time": 11, "network_transfer.wifi_download": 16000,
      "diskio.logical_write_count": 24e6, "memory.peak_memory_usage": 25e6, "memory.suspended_memory_average": 26e6,
      "display.pixel_luminance_average": 27, "animation.scroll_hitch_time_ratio": 28,
    ])
    let decoded = try Self.decode([Self.span(Self.state + exits + measured)])
    #expect(
      Self.values(decoded) == [
        "cpu.time": 1.5, "cpu.instructions": 2000, "gpu.time": 10800, "time.foreground": 300, "location.10m": 11,
        "network.wifi_down": 16000, "disk.writes B": 24e6, "memory.peak B": 25e6, "memory.suspended B": 26e6,
        "display.luminance apl": 27, "ui.scroll_hitch_ratio ms/s": 28, "exits.foreground.memory_limit": 31,
        "exits.background.bad_access": 40, "exits.foreground.normal": 30,
      ])
    let report = try #require(decoded.reports.first)
    #expect(report.source == .otlp && report.release == Release(version: "4.1.0", build: "1200"))
    #expect(report.device.model == "iPhone12,1" && report.device.system.title == "iOS 17.3")
    #expect(report.measurements.allSatisfy { $0.time == .day(CalendarDay(number: 20_777)) } && report.assumedTimes == 0)
    #expect(decoded.rejection == nil)
  }

  @Test("an average of a histogram keeps its own name and is part of no percentile")
  func averages() throws {
    let averages = Self.numbers([
      "app_launch.time_to_first_draw_average": 1.14, "app_launch.app_resume_time_average": 1.2,
      "app_launch.optimized_time_to_first_draw_average": 1.26, "app_launch.extended_launch_average": 1.32,
      "app_responsiveness.hang_time_average": 0.82, "cellular_condition.bars_average": 4,
    ])
    let measurements = try Self.decode([Self.span(averages)]).reports.flatMap(\.measurements)
    #expect(measurements.count == 6)
    for measurement in measurements {
      #expect(measurement.metric.name.hasPrefix("metrickit.") && measurement.metric.name.hasSuffix("_average"))
      guard case .custom = measurement.metric else { return #expect(Bool(false), "\(measurement.metric)") }
    }
    #expect(measurements[0].metric.unit == .seconds && measurements[0].value == .samples([1.14]))
  }

  @Test("a span with several releases, of TestFlight or without a day counts as mixed, testflight or today")
  func origins() throws {
    let begin = Self.attribute("metrickit.timestamp_begin", .doubleValue(1_795_129_200 - 86_400))
    let mixed = Self.attribute("metrickit.includes_multiple_application_versions", .boolValue(true))
    let beta = Self.attribute("metrickit.metadata.is_test_flight_app", .boolValue(true))
    let value = Self.numbers(["gpu.time": 1])
    let report = try #require(
      try Self.decode([Self.span(Self.state.filter { $0.key != mixed.key } + [mixed, begin, beta] + value)]).reports
        .first)
    #expect(report.isMixedRelease && report.release == .mixed && report.environment == "testflight")
    #expect(report.measurements[0].time == .day(CalendarDay(number: 20_776)))
    var undated = Self.span(value)
    undated.startTimeUnixNano = 0
    let assumed = try #require(try Self.decode([undated]).reports.first)
    #expect(assumed.assumedTimes == 1 && assumed.measurements[0].time == .day(receiptTime.day()))
    #expect(assumed.release == Release(version: "4.2.0", build: "1234"), "the app's own, where the payload names none")
  }

  @Test("other spans are counted as left out, and hostile numbers as rejected samples")
  func others() throws {
    let bad = Self.numbers(["gpu.time": -1, "cpu.cpu_time": .infinity, "memory.peak_memory_usage": 1e300])
    let odd = [
      Self.attribute("metrickit.gpu", .doubleValue(1)), Self.attribute("gpu.time", .doubleValue(1)),
      Self.attribute("metrickit.app_time.foreground_time", .stringValue("60")), Self.attribute("", .boolValue(true)),
    ]
    let decoded = try Self.decode([
      Self.span(bad + odd), Self.span([], name: "GET /cart"), Self.span([], name: "MXSignpostMetric"),
      Self.span([], name: "MXDiagnosticPayload"),
    ])
    #expect(Self.values(decoded).isEmpty && decoded.reports.first?.rejectedSamples == 3)
    #expect(decoded.rejection?.count == 2 && decoded.rejection?.message.contains("GET /cart") == true)
  }

  @Test("attributes beyond a request's limit are refused with their spans")
  func bounds() throws {
    let many = Self.span((0..<41_000).map { Self.attribute("metrickit.new.m\($0)", .intValue(1)) })
    let decoded = try Self.decode([many])
    #expect(decoded.reports.isEmpty && decoded.rejection?.count == 1)
    let spans = Array(repeating: Self.span([], name: "x"), count: 25_001)
    #expect(throws: DecodingFailure.self) { try Self.decode(spans) }
  }
}

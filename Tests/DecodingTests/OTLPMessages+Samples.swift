import OTLPMessages
import SwiftProtobuf
import Testing

@testable import Core
@testable import Ingest

/// Requests built with the generated types, and read as a client's bytes.
enum OTLP {
  static func value(_ text: String) -> PBAnyValue { .with { $0.stringValue = text } }

  static func attributes(_ pairs: KeyValuePairs<String, String>) -> [PBKeyValue] {
    pairs.map { pair in
      .with {
        $0.key = pair.key
        $0.value = value(pair.value)
      }
    }
  }

  static let resource: [PBKeyValue] = attributes([
    "service.name": "com.example.shop", "service.version": "4.2.0", "app.build_id": "1234",
    "device.model.identifier": "iPhone15,2", "os.name": "iOS", "os.version": "17.4.1", "os.build_id": "21E236",
  ])

  /// 2026-11-21T09:00:00Z, an hour before the receipt.
  static let at: UInt64 = 1_795_251_600_000_000_000
  static let start: UInt64 = at - 60_000_000_000

  static func request(_ metrics: [PBMetric], resource: [PBKeyValue] = resource) -> PBExportMetricsServiceRequest {
    .with { request in
      request.resourceMetrics = [
        .with {
          $0.resource.attributes = resource
          $0.scopeMetrics = [.with { $0.metrics = metrics }]
        }
      ]
    }
  }

  static func metric(_ name: String, _ unit: String, _ data: PBMetric.OneOf_Data) -> PBMetric {
    .with {
      $0.name = name
      $0.unit = unit
      $0.data = data
    }
  }

  static func number(_ value: Double, _ attributes: [PBKeyValue] = [], at: UInt64 = at) -> PBNumberDataPoint {
    .with {
      $0.asDouble = value
      $0.attributes = attributes
      $0.startTimeUnixNano = start
      $0.timeUnixNano = at
    }
  }

  static func sum(
    _ points: [PBNumberDataPoint], monotonic: Bool = true, _ temporality: PBAggregationTemporality = .delta
  ) -> PBMetric.OneOf_Data {
    .sum(
      .with {
        $0.dataPoints = points
        $0.isMonotonic = monotonic
        $0.aggregationTemporality = temporality
      })
  }

  static func gauge(_ points: [PBNumberDataPoint]) -> PBMetric.OneOf_Data {
    .gauge(.with { $0.dataPoints = points })
  }

  static func histogram(
    _ bounds: [Double], _ counts: [UInt64], sum: Double? = nil, min: Double? = nil, max: Double? = nil,
    attributes: [PBKeyValue] = [], _ temporality: PBAggregationTemporality = .delta
  ) -> PBMetric.OneOf_Data {
    .histogram(
      .with { histogram in
        histogram.aggregationTemporality = temporality
        histogram.dataPoints = [
          .with {
            $0.explicitBounds = bounds
            $0.bucketCounts = counts
            $0.count = counts.reduce(0, &+)
            if let sum { $0.sum = sum }
            if let min { $0.min = min }
            if let max { $0.max = max }
            $0.attributes = attributes
            $0.startTimeUnixNano = start
            $0.timeUnixNano = at
          }
        ]
      })
  }

  static func exponential(
    scale: Int32, offset: Int32, _ counts: [UInt64], zeros: UInt64 = 0, threshold: Double = 0, negative: [UInt64] = [],
    _ temporality: PBAggregationTemporality = .delta
  ) -> PBMetric.OneOf_Data {
    .exponentialHistogram(
      .with { histogram in
        histogram.aggregationTemporality = temporality
        histogram.dataPoints = [
          .with {
            $0.scale = scale
            $0.positive.offset = offset
            $0.positive.bucketCounts = counts
            $0.negative.bucketCounts = negative
            $0.zeroCount = zeros
            $0.zeroThreshold = threshold
            $0.count = counts.reduce(0, &+) &+ zeros &+ negative.reduce(0, &+)
            $0.startTimeUnixNano = start
            $0.timeUnixNano = at
          }
        ]
      })
  }

  static func decode(
    _ bytes: [UInt8], as format: PayloadFormat, keepsText: Bool = false, with decoder: PayloadDecoder = PayloadDecoder()
  ) throws(DecodingFailure) -> Decoded {
    let result: Result<Decoded, DecodingFailure> = bytes.withUnsafeBytes { body in
      do throws(DecodingFailure) {
        return .success(
          try decoder.decode(
            body, as: format, DecodingContext(received: receiptTime, keepsExceptionText: keepsText)))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The same request in protobuf and in JSON, which must come to the same.
  static func decode(_ metrics: [PBMetric], resource: [PBKeyValue] = resource) throws -> Decoded {
    let message = request(metrics, resource: resource)
    let decoded = try decode(message.serializedBytes(), as: .otlpMetrics(.protobuf))
    #expect(try decode(message.jsonUTF8Bytes(), as: .otlpMetrics(.json)) == decoded)
    return decoded
  }

  /// The only reading of a request with one metric.
  static func reading(_ name: String, _ unit: String, _ data: PBMetric.OneOf_Data) throws -> Measurement {
    let decoded = try decode([metric(name, unit, data)])
    #expect(decoded.rejection == nil)
    return try #require(decoded.reports.first?.measurements.first)
  }

  /// Why the only metric of a request is not kept.
  static func refusal(_ name: String, _ unit: String, _ data: PBMetric.OneOf_Data) throws -> PartialRejection {
    let decoded = try decode([metric(name, unit, data)])
    #expect(decoded.reports.flatMap(\.measurements) == [])
    return try #require(decoded.rejection)
  }
}

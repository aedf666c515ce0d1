import OTLPMessages

@testable import Ingest

// Generated messages as the product's own, field by field. Whether an empty message was there is not kept, except for the
// body of a record.

/// The metrics of a request, to compare two readers.
struct OTLPMetricsContent {
  private(set) var parts: [Part] = []

  struct Part {
    let resource: OTLPResource
    var scopes: [Scope] = []
  }

  struct Scope {
    let scope: OTLPInstrumentationScope
    var metrics: [Metric] = []
  }

  struct Metric {
    let name: String
    let unit: String
    let kind: OTLPMetricData.Kind?
    var temporality = OTLPAggregationTemporality.unspecified
    var isMonotonic = false
    /// As text, because they differ in type.
    var points: [String] = []
  }
}

/// Reads like the product: each message when its turn comes, and every point into the memory of the one before.
extension OTLPMetricsContent: OTLPRequestReader {
  mutating func read(_ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    var number = OTLPNumberDataPoint()
    var histogram = OTLPHistogramDataPoint()
    var exponential = OTLPExponentialHistogramDataPoint()
    func text(
      _ point: inout some OTLPPoint, _ unread: OTLPUnreadMessage, _ input: inout some OTLPFieldReader
    ) throws(OTLPFailure) -> String {
      point.clear()
      try input.read(unread, into: &point)
      return "\(point)"
    }
    func points(of data: OTLPMetricData, _ input: inout some OTLPFieldReader) throws(OTLPFailure) -> [String] {
      var texts: [String] = []
      for unread in data.points {
        switch data.kind {
        case .gauge, .sum: texts.append(try text(&number, unread, &input))
        case .histogram: texts.append(try text(&histogram, unread, &input))
        case .exponentialHistogram: texts.append(try text(&exponential, unread, &input))
        case .summary, nil:
          var point = OTLPSummaryDataPoint()
          try input.read(unread, into: &point)
          texts.append("\(point)")
        }
      }
      return texts
    }
    var request = OTLPExportMetricsServiceRequest()
    try input.read(input.request, into: &request)
    for unread in request.resourceMetrics {
      var message = OTLPResourceMetrics()
      try input.read(unread, into: &message)
      var part = Part(resource: message.resource)
      for unread in message.scopeMetrics {
        var message = OTLPScopeMetrics()
        try input.read(unread, into: &message)
        var scope = Scope(scope: message.scope)
        for unread in message.metrics {
          var metric = OTLPMetric()
          try input.read(unread, into: &metric)
          for data in metric.replaced { _ = try points(of: data, &input) }
          scope.metrics.append(
            Metric(
              name: metric.name, unit: metric.unit, kind: metric.data.kind,
              temporality: metric.data.aggregationTemporality, isMonotonic: metric.data.isMonotonic,
              points: try points(of: metric.data, &input)))
        }
        part.scopes.append(scope)
      }
      parts.append(part)
    }
  }
}

extension OTLPMetricsContent {
  init(_ other: PBExportMetricsServiceRequest) {
    self.init(
      parts: other.resourceMetrics.map { part in
        Part(
          resource: OTLPResource(part.resource),
          scopes: part.scopeMetrics.map {
            Scope(scope: OTLPInstrumentationScope($0.scope), metrics: $0.metrics.map(Metric.init))
          })
      })
  }
}

extension OTLPExportLogsServiceRequest {
  init(_ other: PBExportLogsServiceRequest) {
    self.init(
      resourceLogs: other.resourceLogs.map { part in
        OTLPResourceLogs(
          resource: OTLPResource(part.resource),
          scopeLogs: part.scopeLogs.map { scope in
            OTLPScopeLogs(
              scope: OTLPInstrumentationScope(scope.scope),
              logRecords: scope.logRecords.map {
                OTLPLogRecord(
                  timeUnixNano: $0.timeUnixNano, severityNumber: $0.severityNumber,
                  body: $0.hasBody ? OTLPAnyValue($0.body) : nil, attributes: $0.attributes.map(OTLPKeyValue.init),
                  observedTimeUnixNano: $0.observedTimeUnixNano, eventName: $0.eventName)
              })
          })
      })
  }
}

extension OTLPExportTraceServiceRequest {
  init(_ other: PBExportTraceServiceRequest) {
    self.init(
      resourceSpans: other.resourceSpans.map { part in
        OTLPResourceSpans(
          resource: OTLPResource(part.resource),
          scopeSpans: part.scopeSpans.map { scope in
            OTLPScopeSpans(
              scope: OTLPInstrumentationScope(scope.scope),
              spans: scope.spans.map {
                OTLPSpan(
                  name: $0.name, startTimeUnixNano: $0.startTimeUnixNano, endTimeUnixNano: $0.endTimeUnixNano,
                  attributes: $0.attributes.map(OTLPKeyValue.init))
              })
          })
      })
  }
}

extension OTLPResource {
  fileprivate init(_ other: PBResource) { self.init(attributes: other.attributes.map(OTLPKeyValue.init)) }
}

extension OTLPInstrumentationScope {
  fileprivate init(_ other: PBInstrumentationScope) {
    self.init(name: other.name, version: other.version, attributes: other.attributes.map(OTLPKeyValue.init))
  }
}

extension OTLPKeyValue {
  fileprivate init(_ other: PBKeyValue) { self.init(key: other.key, value: OTLPAnyValue(other.value)) }
}

extension OTLPAnyValue {
  fileprivate init(_ other: PBAnyValue) {
    switch other.value {
    case .stringValue(let text): self.init(value: .stringValue(text))
    case .boolValue(let flag): self.init(value: .boolValue(flag))
    case .intValue(let number): self.init(value: .intValue(number))
    case .doubleValue(let number): self.init(value: .doubleValue(number))
    case .arrayValue(let list): self.init(value: .arrayValue(.init(values: list.values.map(OTLPAnyValue.init))))
    case .kvlistValue(let list): self.init(value: .kvlistValue(.init(values: list.values.map(OTLPKeyValue.init))))
    case nil: self.init()
    }
  }
}

extension OTLPMetricsContent.Metric {
  fileprivate init(_ other: PBMetric) {
    func read(
      _ kind: OTLPMetricData.Kind?, _ temporality: PBAggregationTemporality = .unspecified,
      isMonotonic: Bool = false, points: [Any]
    ) -> Self {
      Self(
        name: other.name, unit: other.unit, kind: kind, temporality: .init(temporality.rawValue),
        isMonotonic: isMonotonic, points: points.map { "\($0)" })
    }
    self =
      switch other.data {
      case .gauge(let gauge): read(.gauge, points: gauge.dataPoints.map(OTLPNumberDataPoint.init))
      case .sum(let sum):
        read(
          .sum, sum.aggregationTemporality, isMonotonic: sum.isMonotonic,
          points: sum.dataPoints.map(OTLPNumberDataPoint.init))
      case .histogram(let histogram):
        read(
          .histogram, histogram.aggregationTemporality, points: histogram.dataPoints.map(OTLPHistogramDataPoint.init))
      case .exponentialHistogram(let histogram):
        read(
          .exponentialHistogram, histogram.aggregationTemporality,
          points: histogram.dataPoints.map(OTLPExponentialHistogramDataPoint.init))
      case .summary(let summary):
        read(.summary, points: summary.dataPoints.map { OTLPSummaryDataPoint(timeUnixNano: $0.timeUnixNano) })
      case nil: read(nil, points: [])
      }
  }
}

extension OTLPNumberDataPoint {
  fileprivate init(_ other: PBNumberDataPoint) {
    self.init(
      startTimeUnixNano: other.startTimeUnixNano, timeUnixNano: other.timeUnixNano,
      attributes: other.attributes.map(OTLPKeyValue.init), flags: other.flags)
    switch other.value {
    case .asDouble(let number): value = .asDouble(number)
    case .asInt(let number): value = .asInt(number)
    case nil: break
    }
  }
}

extension OTLPHistogramDataPoint {
  fileprivate init(_ other: PBHistogramDataPoint) {
    self.init(
      startTimeUnixNano: other.startTimeUnixNano, timeUnixNano: other.timeUnixNano, count: other.count,
      sum: other.hasSum ? other.sum : nil, bucketCounts: other.bucketCounts, explicitBounds: other.explicitBounds,
      attributes: other.attributes.map(OTLPKeyValue.init), flags: other.flags, min: other.hasMin ? other.min : nil,
      max: other.hasMax ? other.max : nil)
  }
}

extension OTLPExponentialHistogramDataPoint {
  fileprivate init(_ other: PBExponentialHistogramDataPoint) {
    self.init(
      attributes: other.attributes.map(OTLPKeyValue.init), startTimeUnixNano: other.startTimeUnixNano,
      timeUnixNano: other.timeUnixNano, count: other.count, sum: other.hasSum ? other.sum : nil, scale: other.scale,
      zeroCount: other.zeroCount, positive: Buckets(other.positive), negative: Buckets(other.negative),
      flags: other.flags, min: other.hasMin ? other.min : nil, max: other.hasMax ? other.max : nil,
      zeroThreshold: other.zeroThreshold)
  }
}

extension OTLPExponentialHistogramDataPoint.Buckets {
  fileprivate init(_ other: PBExponentialHistogramDataPoint.Buckets) {
    self.init(offset: other.offset, bucketCounts: other.bucketCounts)
  }
}

import OTLPMessages

@testable import Ingest

// Generated messages as the product's own, field by field. Whether an empty message was there is not kept, except for the
// body of a record.

extension OTLPExportMetricsServiceRequest {
  init(_ other: PBExportMetricsServiceRequest) {
    self.init(
      resourceMetrics: other.resourceMetrics.map { part in
        OTLPResourceMetrics(
          resource: OTLPResource(part.resource),
          scopeMetrics: part.scopeMetrics.map {
            OTLPScopeMetrics(scope: OTLPInstrumentationScope($0.scope), metrics: $0.metrics.map(OTLPMetric.init))
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

extension OTLPMetric {
  fileprivate init(_ other: PBMetric) {
    self.init(name: other.name, unit: other.unit)
    switch other.data {
    case .gauge(let gauge): data = .gauge(OTLPGauge(dataPoints: gauge.dataPoints.map(OTLPNumberDataPoint.init)))
    case .sum(let sum):
      data = .sum(
        OTLPSum(
          dataPoints: sum.dataPoints.map(OTLPNumberDataPoint.init),
          aggregationTemporality: .init(sum.aggregationTemporality.rawValue), isMonotonic: sum.isMonotonic))
    case .histogram(let histogram):
      data = .histogram(
        OTLPHistogram(
          dataPoints: histogram.dataPoints.map(OTLPHistogramDataPoint.init),
          aggregationTemporality: .init(histogram.aggregationTemporality.rawValue)))
    case .exponentialHistogram(let histogram):
      data = .exponentialHistogram(
        OTLPExponentialHistogram(
          dataPoints: histogram.dataPoints.map(OTLPExponentialHistogramDataPoint.init),
          aggregationTemporality: .init(histogram.aggregationTemporality.rawValue)))
    case .summary(let summary):
      data = .summary(
        OTLPSummary(dataPoints: summary.dataPoints.map { OTLPSummaryDataPoint(timeUnixNano: $0.timeUnixNano) }))
    case nil: break
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

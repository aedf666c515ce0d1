internal import Core

// The messages of metrics, except their data points.

struct OTLPExportMetricsServiceRequest: OTLPMessage {
  var resourceMetrics: [OTLPResourceMetrics] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "resourceMetrics", "resource_metrics": 1
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.messages(&resourceMetrics, "resourceMetrics") }
  }
}

struct OTLPResourceMetrics: OTLPMessage {
  var resource = OTLPResource()
  var scopeMetrics: [OTLPScopeMetrics] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "resource": 1
    case "scopeMetrics", "scope_metrics": 2
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.single(&resource, "resource")
    case 2: try input.messages(&scopeMetrics, "scopeMetrics")
    default: break
    }
  }
}

struct OTLPScopeMetrics: OTLPMessage {
  var scope = OTLPInstrumentationScope()
  var metrics: [OTLPMetric] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "scope": 1
    case "metrics": 2
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.single(&scope, "scope")
    case 2: try input.messages(&metrics, "metrics")
    default: break
    }
  }
}

struct OTLPMetric: OTLPMessage {
  enum Data: Sendable {
    case gauge(OTLPGauge)
    case sum(OTLPSum)
    case histogram(OTLPHistogram)
    case exponentialHistogram(OTLPExponentialHistogram)
    case summary(OTLPSummary)
  }

  var name = ""
  var unit = ""
  var data: Data?

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "name": 1
    case "unit": 3
    case "gauge": 5
    case "sum": 7
    case "histogram": 9
    case "exponentialHistogram", "exponential_histogram": 10
    case "summary": 11
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: return try input.string(&name)
    case 3: return try input.string(&unit)
    case 5, 7, 9, 10, 11: try input.checkOneOf(isSet: data != nil)
    default: return
    }
    switch field {
    case 5: try input.oneOf(&data, "gauge", Data.gauge) { if case .gauge(let it) = $0 { it } else { nil } }
    case 7: try input.oneOf(&data, "sum", Data.sum) { if case .sum(let it) = $0 { it } else { nil } }
    case 9: try input.oneOf(&data, "histogram", Data.histogram) { if case .histogram(let it) = $0 { it } else { nil } }
    case 10:
      try input.oneOf(&data, "exponentialHistogram", Data.exponentialHistogram) {
        if case .exponentialHistogram(let it) = $0 { it } else { nil }
      }
    default: try input.oneOf(&data, "summary", Data.summary) { if case .summary(let it) = $0 { it } else { nil } }
    }
  }
}

enum OTLPAggregationTemporality: Sendable {
  case unspecified, delta, cumulative
  /// A number that OTLP does not define.
  case unknown

  init(_ number: some BinaryInteger) {
    switch number {
    case 0: self = .unspecified
    case 1: self = .delta
    case 2: self = .cumulative
    default: self = .unknown
    }
  }

  /// Nil for an unknown name.
  init?(_ name: BorrowedJSONString) {
    switch name {
    case "AGGREGATION_TEMPORALITY_UNSPECIFIED": self = .unspecified
    case "AGGREGATION_TEMPORALITY_DELTA": self = .delta
    case "AGGREGATION_TEMPORALITY_CUMULATIVE": self = .cumulative
    default: return nil
    }
  }
}

struct OTLPGauge: OTLPMessage {
  var dataPoints: [OTLPNumberDataPoint] = []

  static func field(_ name: BorrowedJSONString) -> Int { OTLPPointFields.field(name) == 1 ? 1 : 0 }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.messages(&dataPoints, "dataPoints") }
  }
}

struct OTLPSum: OTLPMessage {
  var dataPoints: [OTLPNumberDataPoint] = []
  var aggregationTemporality = OTLPAggregationTemporality.unspecified
  var isMonotonic = false

  static func field(_ name: BorrowedJSONString) -> Int { OTLPPointFields.field(name) }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.messages(&dataPoints, "dataPoints")
    case 2: try input.temporality(&aggregationTemporality)
    case 3: try input.bool(&isMonotonic)
    default: break
    }
  }
}

struct OTLPHistogram: OTLPMessage {
  var dataPoints: [OTLPHistogramDataPoint] = []
  var aggregationTemporality = OTLPAggregationTemporality.unspecified

  static func field(_ name: BorrowedJSONString) -> Int { OTLPPointFields.field(name) }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.messages(&dataPoints, "dataPoints")
    case 2: try input.temporality(&aggregationTemporality)
    default: break
    }
  }
}

struct OTLPExponentialHistogram: OTLPMessage {
  var dataPoints: [OTLPExponentialHistogramDataPoint] = []
  var aggregationTemporality = OTLPAggregationTemporality.unspecified

  static func field(_ name: BorrowedJSONString) -> Int { OTLPPointFields.field(name) }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.messages(&dataPoints, "dataPoints")
    case 2: try input.temporality(&aggregationTemporality)
    default: break
    }
  }
}

/// The fields that every kind of metric has, with the same names and numbers.
private enum OTLPPointFields {
  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "dataPoints", "data_points": 1
    case "aggregationTemporality", "aggregation_temporality": 2
    case "isMonotonic", "is_monotonic": 3
    default: 0
    }
  }
}

/// Has only quantiles. It is counted and then refused.
struct OTLPSummary: OTLPMessage {
  var dataPoints: [OTLPSummaryDataPoint] = []

  static func field(_ name: BorrowedJSONString) -> Int { OTLPPointFields.field(name) == 1 ? 1 : 0 }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.messages(&dataPoints, "dataPoints") }
  }
}

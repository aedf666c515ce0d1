internal import Core

// The messages of metrics, except their data points.

struct OTLPExportMetricsServiceRequest: OTLPMessage {
  var resourceMetrics: [OTLPUnreadMessage] = []

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "resourceMetrics", "resource_metrics": 1
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 1 { try input.unread(&resourceMetrics, "resourceMetrics", arePoints: false) }
  }
}

struct OTLPResourceMetrics: OTLPMessage {
  var resource = OTLPResource()
  var scopeMetrics: [OTLPUnreadMessage] = []

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
    case 2: try input.unread(&scopeMetrics, "scopeMetrics", arePoints: false)
    default: break
    }
  }
}

struct OTLPScopeMetrics: OTLPMessage {
  var scope = OTLPInstrumentationScope()
  var metrics: [OTLPUnreadMessage] = []

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
    case 2: try input.unread(&metrics, "metrics", arePoints: false)
    default: break
    }
  }
}

struct OTLPMetric: OTLPMessage {
  var name = ""
  var unit = ""
  /// The last kind in the message counts; parts of the same kind are merged.
  var data = OTLPMetricData()
  /// Data of other kinds before it.
  var replaced: [OTLPMetricData] = []

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
    default: break
    }
    guard let kind = OTLPMetricData.Kind(rawValue: field) else { return }
    try input.checkOneOf(isSet: data.kind != nil)
    guard data.kind == nil || data.kind == kind else {
      var other = OTLPMetricData(kind: kind)
      guard try input.message(&other, kind.name) else { return }
      swap(&data, &other)
      if !other.points.isEmpty { replaced.append(other) }
      return
    }
    let isFirst = data.kind == nil
    data.kind = kind
    if try !input.message(&data, kind.name), isFirst { data.kind = nil }
  }
}

/// A metric's points: a `Gauge`, `Sum`, `Histogram`, `ExponentialHistogram` or `Summary`. Their fields have the same
/// names and numbers.
struct OTLPMetricData: OTLPMessage {
  /// The kind of the points, with the number of the metric's field that has them.
  enum Kind: Int, Sendable {
    case gauge = 5
    case sum = 7
    case histogram = 9
    case exponentialHistogram = 10
    /// Has only quantiles. It is counted and then refused.
    case summary = 11

    /// The name of the metric's field.
    var name: StaticString {
      switch self {
      case .gauge: "gauge"
      case .sum: "sum"
      case .histogram: "histogram"
      case .exponentialHistogram: "exponentialHistogram"
      case .summary: "summary"
      }
    }
  }

  /// Nil if the metric has no points of a known kind.
  var kind: Kind?
  var points: [OTLPUnreadMessage] = []
  /// Only for sums and histograms.
  var aggregationTemporality = OTLPAggregationTemporality.unspecified
  /// Only for sums.
  var isMonotonic = false

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "dataPoints", "data_points": 1
    case "aggregationTemporality", "aggregation_temporality": 2
    case "isMonotonic", "is_monotonic": 3
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch (field, kind) {
    case (1, _): try input.unread(&points, "dataPoints", arePoints: true)
    case (2, .sum), (2, .histogram), (2, .exponentialHistogram): try input.temporality(&aggregationTemporality)
    case (3, .sum): try input.bool(&isMonotonic)
    default: break
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

internal import Core

// The data points of metrics.

/// A point that a metric may have.
protocol OTLPPoint: OTLPMessage {
  var attributes: [OTLPKeyValue] { get }
  var startTimeUnixNano: UInt64 { get }
  var timeUnixNano: UInt64 { get }
  var flags: UInt32 { get }

  /// Makes it the empty message. Its arrays keep their memory for the next point.
  mutating func clear()

  /// Whether it was sent as an integer.
  var isWhole: Bool { get }

  /// The value in the stored unit.
  func value(_ storage: OTLPMetricStorage) throws(MetricRefusal) -> OTLPPointValue
}

extension OTLPPoint {
  var isWhole: Bool { false }
}

struct OTLPNumberDataPoint: OTLPPoint {
  enum Value: Sendable {
    case asDouble(Double)
    case asInt(Int64)
  }

  var startTimeUnixNano: UInt64 = 0
  var timeUnixNano: UInt64 = 0
  var value: Value?
  var attributes: [OTLPKeyValue] = []
  var flags: UInt32 = 0

  var isWhole: Bool { if case .asInt? = value { true } else { false } }

  func value(_ storage: OTLPMetricStorage) throws(MetricRefusal) -> OTLPPointValue {
    try OTLPPointValue(self, storage)
  }

  mutating func clear() {
    var empty = Self()
    swap(&empty.attributes, &attributes)
    empty.attributes.removeAll(keepingCapacity: true)
    self = empty
  }

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "attributes": 7
    case "timeUnixNano", "time_unix_nano": 3
    case "startTimeUnixNano", "start_time_unix_nano": 2
    case "asDouble", "as_double": 4
    case "asInt", "as_int": 6
    case "flags": 8
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 2: try input.fixed64(&startTimeUnixNano)
    case 3: try input.fixed64(&timeUnixNano)
    case 4:
      try input.checkOneOf(isSet: value != nil)
      if let number = try input.double() { value = .asDouble(number) }
    case 6:
      try input.checkOneOf(isSet: value != nil)
      if let number = try input.sfixed64() { value = .asInt(number) }
    case 7: try input.messages(&attributes, "attributes")
    case 8: try input.uint32(&flags)
    default: break
    }
  }
}

struct OTLPHistogramDataPoint: OTLPPoint {
  var startTimeUnixNano: UInt64 = 0
  var timeUnixNano: UInt64 = 0
  var count: UInt64 = 0
  var sum: Double?
  var bucketCounts: [UInt64] = []
  var explicitBounds: [Double] = []
  var attributes: [OTLPKeyValue] = []
  var flags: UInt32 = 0
  var min: Double?
  var max: Double?

  func value(_ storage: OTLPMetricStorage) throws(MetricRefusal) -> OTLPPointValue {
    try OTLPPointValue(self, storage)
  }

  mutating func clear() {
    var empty = Self()
    swap(&empty.bucketCounts, &bucketCounts)
    empty.bucketCounts.removeAll(keepingCapacity: true)
    swap(&empty.explicitBounds, &explicitBounds)
    empty.explicitBounds.removeAll(keepingCapacity: true)
    swap(&empty.attributes, &attributes)
    empty.attributes.removeAll(keepingCapacity: true)
    self = empty
  }

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "attributes": 9
    case "startTimeUnixNano", "start_time_unix_nano": 2
    case "timeUnixNano", "time_unix_nano": 3
    case "count": 4
    case "sum": 5
    case "bucketCounts", "bucket_counts": 6
    case "explicitBounds", "explicit_bounds": 7
    case "min": 11
    case "max": 12
    case "flags": 10
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 2: try input.fixed64(&startTimeUnixNano)
    case 3: try input.fixed64(&timeUnixNano)
    case 4: try input.fixed64(&count)
    case 5: try input.double(&sum)
    case 6: try input.fixed64s(&bucketCounts)
    case 7: try input.doubles(&explicitBounds)
    case 9: try input.messages(&attributes, "attributes")
    case 10: try input.uint32(&flags)
    case 11: try input.double(&min)
    case 12: try input.double(&max)
    default: break
    }
  }
}

struct OTLPExponentialHistogramDataPoint: OTLPPoint {
  struct Buckets: OTLPMessage {
    var offset: Int32 = 0
    var bucketCounts: [UInt64] = []

    static func field(_ name: BorrowedJSONString) -> Int {
      switch name {
      case "offset": 1
      case "bucketCounts", "bucket_counts": 2
      default: 0
      }
    }

    mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
      switch field {
      case 1: try input.sint32(&offset)
      case 2: try input.uint64s(&bucketCounts)
      default: break
      }
    }
  }

  var attributes: [OTLPKeyValue] = []
  var startTimeUnixNano: UInt64 = 0
  var timeUnixNano: UInt64 = 0
  var count: UInt64 = 0
  var sum: Double?
  var scale: Int32 = 0
  var zeroCount: UInt64 = 0
  var positive = Buckets()
  var negative = Buckets()
  var flags: UInt32 = 0
  var min: Double?
  var max: Double?
  var zeroThreshold: Double = 0

  func value(_ storage: OTLPMetricStorage) throws(MetricRefusal) -> OTLPPointValue {
    try OTLPPointValue(self, storage)
  }

  mutating func clear() {
    var empty = Self()
    swap(&empty.positive.bucketCounts, &positive.bucketCounts)
    empty.positive.bucketCounts.removeAll(keepingCapacity: true)
    swap(&empty.negative.bucketCounts, &negative.bucketCounts)
    empty.negative.bucketCounts.removeAll(keepingCapacity: true)
    swap(&empty.attributes, &attributes)
    empty.attributes.removeAll(keepingCapacity: true)
    self = empty
  }

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "attributes": 1
    case "startTimeUnixNano", "start_time_unix_nano": 2
    case "timeUnixNano", "time_unix_nano": 3
    case "count": 4
    case "sum": 5
    case "scale": 6
    case "zeroCount", "zero_count": 7
    case "positive": 8
    case "negative": 9
    case "flags": 10
    case "min": 12
    case "max": 13
    case "zeroThreshold", "zero_threshold": 14
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    switch field {
    case 1: try input.messages(&attributes, "attributes")
    case 2: try input.fixed64(&startTimeUnixNano)
    case 3: try input.fixed64(&timeUnixNano)
    case 4: try input.fixed64(&count)
    case 5: try input.double(&sum)
    case 6: try input.sint32(&scale)
    case 7: try input.fixed64(&zeroCount)
    case 8: try input.single(&positive, "positive")
    case 9: try input.single(&negative, "negative")
    case 10: try input.uint32(&flags)
    case 12: try input.double(&min)
    case 13: try input.double(&max)
    case 14: try input.double(&zeroThreshold)
    default: break
    }
  }
}

struct OTLPSummaryDataPoint: OTLPMessage {
  var timeUnixNano: UInt64 = 0

  static func field(_ name: BorrowedJSONString) -> Int {
    switch name {
    case "timeUnixNano", "time_unix_nano": 3
    default: 0
    }
  }

  mutating func read(_ field: Int, _ input: inout some OTLPFieldReader) throws(OTLPFailure) {
    if field == 3 { try input.fixed64(&timeUnixNano) }
  }
}

internal import JSON
internal import OTLPMessages

/// Reads a metrics request in OTLP's JSON mapping as SDKs write it, with the parser of all other formats, which takes a
/// tenth of swift-protobuf's time.
///
/// It reads only what it is certain about. Anything else, such as names in snake case, repeated members, null, `NaN` or
/// summaries, makes it give up: swift-protobuf then decides what the request means, or why it is none.
struct OTLPPlainJSON {
  /// The reader gave up.
  struct NotPlain: Error {}

  /// Whether a number 0 was read, which on the parser's tape may also be `-0`.
  var hasZero = false

  /// The request; nil if it is not as plain as expected.
  static func metrics(in body: UnsafeRawBufferPointer, _ parser: JSONParser) -> OTLPExportMetricsServiceRequest? {
    guard JSONDocuments.endOfByteOrderMark(in: body, at: 0) == 0 else { return nil }
    return try? parser.withDocument(body) { root in
      var reader = OTLPPlainJSON()
      var request = OTLPExportMetricsServiceRequest()
      try reader.members(root) { reader, key, value in
        guard key == "resourceMetrics" else { return false }
        request.resourceMetrics = try reader.list(value) { try $0.resourceMetrics($1) }
        return true
      }
      if reader.hasZero, holdsMinusZero(body) { throw NotPlain() }
      return request
    }
  }

  /// Whether a number that starts with `-0` may be in the text.
  private static func holdsMinusZero(_ text: UnsafeRawBufferPointer) -> Bool {
    text.indices.dropFirst().dropLast().contains { index in
      text[index] == UInt8(ascii: "-") && text[index + 1] == UInt8(ascii: "0")
        && (text[index - 1] <= 0x20
          || [UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "[")].contains(text[index - 1]))
    }
  }
}

extension OTLPPlainJSON {
  mutating func resourceMetrics(_ value: JSONValue) throws -> OTLPResourceMetrics {
    var part = OTLPResourceMetrics()
    try members(value) { reader, key, value in
      switch key {
      case "resource": part.resource.attributes = try reader.attributes(inside: value)
      case "scopeMetrics": part.scopeMetrics = try reader.list(value) { try $0.scopeMetrics($1) }
      default: return false
      }
      return true
    }
    return part
  }

  mutating func scopeMetrics(_ value: JSONValue) throws -> OTLPScopeMetrics {
    var part = OTLPScopeMetrics()
    try members(value) { reader, key, value in
      switch key {
      case "scope": part.scope = try reader.scope(value)
      case "metrics": part.metrics = try reader.list(value) { try $0.metric($1) }
      default: return false
      }
      return true
    }
    return part
  }

  mutating func scope(_ value: JSONValue) throws -> OTLPInstrumentationScope {
    var scope = OTLPInstrumentationScope()
    try members(value) { reader, key, value in
      switch key {
      case "name": scope.name = try reader.text(value)
      case "version": scope.version = try reader.text(value)
      case "attributes": scope.attributes = try reader.list(value) { try $0.attribute($1) }
      default: return false
      }
      return true
    }
    return scope
  }

  /// The attributes of a resource, its only member that is read.
  mutating func attributes(inside resource: JSONValue) throws -> [OTLPKeyValue] {
    var attributes: [OTLPKeyValue] = []
    try members(resource) { reader, key, value in
      guard key == "attributes" else { return false }
      attributes = try reader.list(value) { try $0.attribute($1) }
      return true
    }
    return attributes
  }

  mutating func attribute(_ value: JSONValue) throws -> OTLPKeyValue {
    var attribute = OTLPKeyValue()
    try members(value) { reader, key, value in
      switch key {
      case "key": attribute.key = try reader.text(value)
      case "value": attribute.value.value = try reader.attributeValue(value)
      default: return false
      }
      return true
    }
    return attribute
  }

  /// A text, number or boolean; nil for an empty value.
  mutating func attributeValue(_ value: JSONValue) throws -> OTLPAnyValue.OneOf_Value? {
    var found: OTLPAnyValue.OneOf_Value?
    try members(value) { reader, key, value in
      // Only one of them may be there.
      if found != nil { throw NotPlain() }
      switch key {
      case "stringValue": found = .stringValue(try reader.text(value))
      case "boolValue": found = .boolValue(try reader.flag(value))
      case "intValue": found = .intValue(try reader.signed(value))
      case "doubleValue": found = .doubleValue(try reader.number(value))
      case "arrayValue", "kvlistValue": throw NotPlain()
      default: return false
      }
      return true
    }
    return found
  }

  mutating func metric(_ value: JSONValue) throws -> OTLPMetric {
    var metric = OTLPMetric()
    try members(value) { reader, key, value in
      switch key {
      case "name": metric.name = try reader.text(value)
      case "unit": metric.unit = try reader.text(value)
      case "gauge", "sum", "histogram", "exponentialHistogram":
        if metric.data != nil { throw NotPlain() }
        metric.data = try reader.data(key, value)
      case "summary": throw NotPlain()
      default: return false
      }
      return true
    }
    return metric
  }

  mutating func data(_ kind: BorrowedJSONString, _ value: JSONValue) throws -> OTLPMetric.OneOf_Data {
    var temporality = OTLPAggregationTemporality.unspecified
    var isMonotonic = false
    var points: JSONValue?
    try members(value) { reader, key, value in
      switch key {
      case "dataPoints": points = value
      case "aggregationTemporality" where !(kind == "gauge"): temporality = try reader.temporality(value)
      case "isMonotonic" where kind == "sum": isMonotonic = try reader.flag(value)
      default: return false
      }
      return true
    }
    switch kind {
    case "gauge":
      var gauge = OTLPGauge()
      gauge.dataPoints = try list(points) { try $0.numberPoint($1) }
      return .gauge(gauge)
    case "sum":
      var sum = OTLPSum()
      (sum.aggregationTemporality, sum.isMonotonic) = (temporality, isMonotonic)
      sum.dataPoints = try list(points) { try $0.numberPoint($1) }
      return .sum(sum)
    case "histogram":
      var histogram = OTLPHistogram()
      histogram.aggregationTemporality = temporality
      histogram.dataPoints = try list(points) { try $0.histogramPoint($1) }
      return .histogram(histogram)
    default:
      var histogram = OTLPExponentialHistogram()
      histogram.aggregationTemporality = temporality
      histogram.dataPoints = try list(points) { try $0.exponentialPoint($1) }
      return .exponentialHistogram(histogram)
    }
  }
}

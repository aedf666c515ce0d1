internal import OTLPMessages

/// Reads a metrics request in protobuf as SDKs write it, without the generic code of swift-protobuf, which takes three
/// times as long.
///
/// It reads only what it is certain about. Anything else, such as repeated single fields, unpacked numbers, groups, lists
/// as attributes or summaries, makes it give up: swift-protobuf then decides what the request means, or why it is none.
struct OTLPPlainWire {
  /// The reader gave up.
  struct NotPlain: Error {}

  /// The content of a field.
  enum Content {
    case varint(UInt64)
    case fixed(UInt64)
    case bytes(Range<Int>)
    /// Four bytes, which no field that is read has.
    case other
  }

  /// How a field of a message may occur.
  enum Occurrence {
    case once
    case repeated
    case unknown
  }

  let bytes: UnsafeRawBufferPointer

  /// The request; nil if it is not as plain as expected.
  static func metrics(in body: UnsafeRawBufferPointer) -> OTLPExportMetricsServiceRequest? {
    let reader = OTLPPlainWire(bytes: body)
    var request = OTLPExportMetricsServiceRequest()
    let whole: Content = .bytes(0..<body.count)
    let read: Void? = try? reader.fields(whole) { field, content in
      guard field == 1 else { return .unknown }
      request.resourceMetrics.append(try reader.resourceMetrics(content))
      return .repeated
    }
    return read == nil ? nil : request
  }
}

extension OTLPPlainWire {
  func resourceMetrics(_ content: Content) throws -> OTLPResourceMetrics {
    var part = OTLPResourceMetrics()
    try fields(content) { field, content in
      switch field {
      case 1:
        part.resource = try resource(content)
        return .once
      case 2:
        part.scopeMetrics.append(try scopeMetrics(content))
        return .repeated
      default: return .unknown
      }
    }
    return part
  }

  func resource(_ content: Content) throws -> OTLPResource {
    var resource = OTLPResource()
    try fields(content) { field, content in
      guard field == 1 else { return .unknown }
      resource.attributes.append(try attribute(content))
      return .repeated
    }
    return resource
  }

  func scopeMetrics(_ content: Content) throws -> OTLPScopeMetrics {
    var part = OTLPScopeMetrics()
    try fields(content) { field, content in
      switch field {
      case 1:
        part.scope = try scope(content)
        return .once
      case 2:
        part.metrics.append(try metric(content))
        return .repeated
      default: return .unknown
      }
    }
    return part
  }

  func scope(_ content: Content) throws -> OTLPInstrumentationScope {
    var scope = OTLPInstrumentationScope()
    try fields(content) { field, content in
      switch field {
      case 1: scope.name = try text(content)
      case 2: scope.version = try text(content)
      case 3:
        scope.attributes.append(try attribute(content))
        return .repeated
      default: return .unknown
      }
      return .once
    }
    return scope
  }

  func attribute(_ content: Content) throws -> OTLPKeyValue {
    var attribute = OTLPKeyValue()
    try fields(content) { field, content in
      switch field {
      case 1: attribute.key = try text(content)
      case 2: attribute.value = try attributeValue(content)
      default: return .unknown
      }
      return .once
    }
    return attribute
  }

  func attributeValue(_ content: Content) throws -> OTLPAnyValue {
    var value = OTLPAnyValue()
    try fields(content) { field, content in
      // Only one of them may be there.
      if value.value != nil, field <= 6 { throw NotPlain() }
      switch field {
      case 1: value.stringValue = try text(content)
      case 2: value.boolValue = try flag(content)
      case 3: value.intValue = Int64(bitPattern: try varint(content))
      case 4: value.doubleValue = Double(bitPattern: try fixed(content))
      case 5, 6: throw NotPlain()
      default: return .unknown
      }
      return .once
    }
    return value
  }

  func metric(_ content: Content) throws -> OTLPMetric {
    var metric = OTLPMetric()
    try fields(content) { field, content in
      switch field {
      case 1: metric.name = try text(content)
      case 3: metric.unit = try text(content)
      case 5, 7, 9, 10, 11:
        if metric.data != nil { throw NotPlain() }
        metric.data = try data(field, content)
      default: return .unknown
      }
      return .once
    }
    return metric
  }

  func data(_ kind: Int, _ content: Content) throws -> OTLPMetric.OneOf_Data {
    var temporality = OTLPAggregationTemporality.unspecified
    var isMonotonic = false
    var numbers: [OTLPNumberDataPoint] = []
    var histograms: [OTLPHistogramDataPoint] = []
    var exponentials: [OTLPExponentialHistogramDataPoint] = []
    try fields(content) { field, content in
      switch (field, kind) {
      case (1, 5), (1, 7): numbers.append(try numberPoint(content))
      case (1, 9): histograms.append(try histogramPoint(content))
      case (1, 10): exponentials.append(try exponentialPoint(content))
      case (1, _): throw NotPlain()
      case (2, 7), (2, 9), (2, 10):
        guard let known = OTLPAggregationTemporality(rawValue: try small(varint(content))) else { throw NotPlain() }
        temporality = known
        return .once
      case (3, 7):
        isMonotonic = try flag(content)
        return .once
      default: return .unknown
      }
      return .repeated
    }
    switch kind {
    case 5:
      var gauge = OTLPGauge()
      gauge.dataPoints = numbers
      return .gauge(gauge)
    case 7:
      var sum = OTLPSum()
      (sum.dataPoints, sum.aggregationTemporality, sum.isMonotonic) = (numbers, temporality, isMonotonic)
      return .sum(sum)
    case 9:
      var histogram = OTLPHistogram()
      (histogram.dataPoints, histogram.aggregationTemporality) = (histograms, temporality)
      return .histogram(histogram)
    case 10:
      var histogram = OTLPExponentialHistogram()
      (histogram.dataPoints, histogram.aggregationTemporality) = (exponentials, temporality)
      return .exponentialHistogram(histogram)
    default: throw NotPlain()
    }
  }
}

internal import JSON
internal import OTLPMessages

/// The points of metrics.
extension OTLPPlainJSON {
  mutating func numberPoint(_ value: JSONValue) throws -> OTLPNumberDataPoint {
    var point = OTLPNumberDataPoint()
    try members(value) { reader, key, value in
      switch key {
      case "startTimeUnixNano": point.startTimeUnixNano = try reader.unsigned(value)
      case "timeUnixNano": point.timeUnixNano = try reader.unsigned(value)
      case "asDouble", "asInt":
        if point.value != nil { throw NotPlain() }
        point.value = key == "asInt" ? .asInt(try reader.signed(value)) : .asDouble(try reader.number(value))
      case "attributes": point.attributes = try reader.list(value) { try $0.attribute($1) }
      case "flags": point.flags = try reader.small(value)
      default: return false
      }
      return true
    }
    return point
  }

  mutating func histogramPoint(_ value: JSONValue) throws -> OTLPHistogramDataPoint {
    var point = OTLPHistogramDataPoint()
    try members(value) { reader, key, value in
      switch key {
      case "startTimeUnixNano": point.startTimeUnixNano = try reader.unsigned(value)
      case "timeUnixNano": point.timeUnixNano = try reader.unsigned(value)
      case "count": point.count = try reader.unsigned(value)
      case "sum": point.sum = try reader.number(value)
      case "bucketCounts": point.bucketCounts = try reader.list(value) { try $0.unsigned($1) }
      case "explicitBounds": point.explicitBounds = try reader.list(value) { try $0.number($1) }
      case "attributes": point.attributes = try reader.list(value) { try $0.attribute($1) }
      case "flags": point.flags = try reader.small(value)
      case "min": point.min = try reader.number(value)
      case "max": point.max = try reader.number(value)
      default: return false
      }
      return true
    }
    return point
  }

  mutating func exponentialPoint(_ value: JSONValue) throws -> OTLPExponentialHistogramDataPoint {
    var point = OTLPExponentialHistogramDataPoint()
    try members(value) { reader, key, value in
      switch key {
      case "startTimeUnixNano": point.startTimeUnixNano = try reader.unsigned(value)
      case "timeUnixNano": point.timeUnixNano = try reader.unsigned(value)
      case "count": point.count = try reader.unsigned(value)
      case "sum": point.sum = try reader.number(value)
      case "scale": point.scale = try reader.small(value)
      case "zeroCount": point.zeroCount = try reader.unsigned(value)
      case "positive": point.positive = try reader.buckets(value)
      case "negative": point.negative = try reader.buckets(value)
      case "attributes": point.attributes = try reader.list(value) { try $0.attribute($1) }
      case "flags": point.flags = try reader.small(value)
      case "min": point.min = try reader.number(value)
      case "max": point.max = try reader.number(value)
      case "zeroThreshold": point.zeroThreshold = try reader.number(value)
      default: return false
      }
      return true
    }
    return point
  }

  mutating func buckets(_ value: JSONValue) throws -> OTLPExponentialHistogramDataPoint.Buckets {
    var buckets = OTLPExponentialHistogramDataPoint.Buckets()
    try members(value) { reader, key, value in
      switch key {
      case "offset": buckets.offset = try reader.small(value)
      case "bucketCounts": buckets.bucketCounts = try reader.list(value) { try $0.unsigned($1) }
      default: return false
      }
      return true
    }
    return buckets
  }
}

internal import OTLPMessages

/// The points of metrics.
extension OTLPPlainWire {
  func numberPoint(_ content: Content) throws -> OTLPNumberDataPoint {
    var point = OTLPNumberDataPoint()
    try fields(content) { field, content in
      switch field {
      case 2: point.startTimeUnixNano = try fixed(content)
      case 3: point.timeUnixNano = try fixed(content)
      case 4, 6:
        if point.value != nil { throw NotPlain() }
        let number = try fixed(content)
        point.value = field == 4 ? .asDouble(Double(bitPattern: number)) : .asInt(Int64(bitPattern: number))
      case 7:
        point.attributes.append(try attribute(content))
        return .repeated
      case 8: point.flags = try small(varint(content))
      default: return .unknown
      }
      return .once
    }
    return point
  }

  func histogramPoint(_ content: Content) throws -> OTLPHistogramDataPoint {
    var point = OTLPHistogramDataPoint()
    try fields(content) { field, content in
      switch field {
      case 2: point.startTimeUnixNano = try fixed(content)
      case 3: point.timeUnixNano = try fixed(content)
      case 4: point.count = try fixed(content)
      case 5: point.sum = Double(bitPattern: try fixed(content))
      case 6: point.bucketCounts = try list(content) { $0 }
      case 7: point.explicitBounds = try list(content) { Double(bitPattern: $0) }
      case 9:
        point.attributes.append(try attribute(content))
        return .repeated
      case 10: point.flags = try small(varint(content))
      case 11: point.min = Double(bitPattern: try fixed(content))
      case 12: point.max = Double(bitPattern: try fixed(content))
      default: return .unknown
      }
      return .once
    }
    return point
  }

  func exponentialPoint(_ content: Content) throws -> OTLPExponentialHistogramDataPoint {
    var point = OTLPExponentialHistogramDataPoint()
    try fields(content) { field, content in
      switch field {
      case 1:
        point.attributes.append(try attribute(content))
        return .repeated
      case 2: point.startTimeUnixNano = try fixed(content)
      case 3: point.timeUnixNano = try fixed(content)
      case 4: point.count = try fixed(content)
      case 5: point.sum = Double(bitPattern: try fixed(content))
      case 6: point.scale = try zigzag(content)
      case 7: point.zeroCount = try fixed(content)
      case 8: point.positive = try buckets(content)
      case 9: point.negative = try buckets(content)
      case 10: point.flags = try small(varint(content))
      case 12: point.min = Double(bitPattern: try fixed(content))
      case 13: point.max = Double(bitPattern: try fixed(content))
      case 14: point.zeroThreshold = Double(bitPattern: try fixed(content))
      default: return .unknown
      }
      return .once
    }
    return point
  }

  func buckets(_ content: Content) throws -> OTLPExponentialHistogramDataPoint.Buckets {
    var buckets = OTLPExponentialHistogramDataPoint.Buckets()
    try fields(content) { field, content in
      switch field {
      case 1: buckets.offset = try zigzag(content)
      case 2:
        guard case .bytes(let range) = content else { throw NotPlain() }
        var at = range.lowerBound
        while at < range.upperBound { buckets.bucketCounts.append(try varint(&at, until: range.upperBound)) }
      default: return .unknown
      }
      return .once
    }
    return buckets
  }
}

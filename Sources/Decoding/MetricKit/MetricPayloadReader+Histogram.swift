internal import JSON
internal import Telemetry

extension MetricPayloadReader {
  /// The last bucket of hangs takes everything from here on, in milliseconds.
  private static let censoredFrom = 9000.0

  /// The buckets of `{"histogramNumBuckets": …, "histogramValue": {"0": {…}, …}}` in ascending order. Their keys are in
  /// random order, and only buckets that hold something are listed.
  mutating func readHistogram(_ value: JSONValue, _ format: MeasurementFormat, isCensored: Bool = false) throws
    -> [Span]
  {
    guard let list = try value.object()["histogramValue"] else { return [] }
    var spans: [Span] = []
    if list.kind == .array {
      for bucket in try list.array() { try append(bucket, to: &spans, format) }
    } else {
      let members = try list.object()
      spans.reserveCapacity(min(16, list.size / 8))
      for (_, bucket) in members { try append(bucket, to: &spans, format) }
    }
    buckets += spans.count
    Self.sort(&spans)
    Self.close(&spans, isCensored: isCensored)
    return spans
  }

  private mutating func append(_ bucket: JSONValue, to spans: inout [Span], _ format: MeasurementFormat) throws {
    var start: JSONValue?
    var end: JSONValue?
    var count: JSONValue?
    let members = try bucket.object()
    for (key, value) in members {
      switch key {
      case "bucketStart": start = value
      case "bucketEnd": end = value
      case "bucketCount": count = value
      default: break
      }
    }
    guard let start else { throw members.missing("bucketStart") }
    guard let end else { throw members.missing("bucketEnd") }
    guard let count else { throw members.missing("bucketCount") }
    guard let count = try self.count(count), let low = try measure(start, format), let high = try measure(end, format)
    else { return }
    if high < low {
      rejectedSamples += 1
    } else if count > 0 {
      spans.append(Span(low: low, high: high, count: count))
    }
  }

  /// A count of events; nil when it is none, and was counted as rejected.
  mutating func count(_ value: JSONValue) throws -> Int? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    let number = try value.number()
    guard number >= 0, number <= Limits.count, let count = Int(exactly: number) else {
      rejectedSamples += 1
      return nil
    }
    return count
  }

  private static func sort(_ spans: inout [Span]) {
    func isAscending(_ left: Span, _ right: Span) -> Bool {
      left.low != right.low ? left.low < right.low : left.high < right.high
    }
    for index in spans.indices.dropFirst() where isAscending(spans[index], spans[index - 1]) {
      spans.sort(by: isAscending)
      return
    }
  }

  /// Turns inclusive ends (820…829, 830…839) into the next bucket's start, and opens the censored bucket.
  private static func close(_ spans: inout [Span], isCensored: Bool) {
    for index in spans.indices {
      let span = spans[index]
      if index + 1 < spans.count, span.low < span.high, spans[index + 1].low == span.high + 1 {
        spans[index].high = span.high + 1
      }
      if isCensored, span.low >= censoredFrom { spans[index].high = .infinity }
    }
  }
}

internal import JSON
internal import Telemetry

extension MetricReportReader {
  /// Hangs beyond this stand in one last bucket, in milliseconds.
  private static let censoredFrom = 9000.0

  /// `{"histogram": {"buckets": [{"lowerBound": …, "upperBound": …, "count": 5}]}}`, with the outer objects or without.
  mutating func readHistogram(_ metric: MetricReference, _ value: JSONValue) throws {
    var holder = value
    for _ in 0..<3 {
      guard let object = holder.objectOrNil, let inner = object["histogram"] ?? object["value"] ?? object["buckets"]
      else { break }
      holder = inner
    }
    guard let buckets = holder.arrayOrNil else { return rejectedSamples += 1 }
    var spans: [Span] = []
    for bucket in buckets where !bucket.isNull {
      if let span = try span(bucket, metric) { spans.append(span) }
    }
    self.buckets += spans.count
    guard !spans.isEmpty else { return }
    spans.sort { $0.low != $1.low ? $0.low < $1.low : $0.high < $1.high }
    append(metric, .spans(spans))
  }

  /// A bucket with something in it. One without an upper bound has no end.
  private mutating func span(_ bucket: JSONValue, _ metric: MetricReference) throws -> Span? {
    guard let bucket = bucket.objectOrNil, let number = bucket["count"]?.numberOrNil, number >= 0,
      number <= Limits.count, let count = Int(exactly: number)
    else {
      rejectedSamples += 1
      return nil
    }
    if count == 0 { return nil }
    guard let low = try quantity(bucket["lowerBound"], metric.unit) else { return nil }
    var high = Double.infinity
    if let bound = bucket["upperBound"] {
      guard let number = try quantity(bound, metric.unit) else { return nil }
      high = number
    }
    guard high >= low else {
      rejectedSamples += 1
      return nil
    }
    if metric.name == "hang.duration", low >= Self.censoredFrom { high = .infinity }
    return Span(low: low, high: high, count: count)
  }
}

/// The position of a measurement in a cumulative stream, whose values count everything since `start` (OpenTelemetry's
/// cumulative temporality). Only the increase since the stream's previous measurement is new.
public struct CumulativeStream: Sendable, Hashable {
  /// A hash of everything that identifies the stream: resource, scope, metric, attributes.
  public var stream: UInt64
  /// When counting began; a process that restarts begins a new count. 1970 when the client does not state it.
  public var start: Timestamp

  public init(stream: UInt64, start: Timestamp) {
    self.stream = stream
    self.start = start
  }
}

extension Measurement.Value {
  /// The increase of a cumulative value since an earlier one of its stream; nil when it decreased, which means that the
  /// source restarted and the whole value is new.
  ///
  /// An exponential histogram lowers its resolution when its values spread: earlier buckets are then merged before the
  /// comparison.
  public func increase(since earlier: Self) -> Self? {
    switch (self, earlier) {
    case (.counter(let now), .counter(let before)): return now >= before ? .counter(now - before) : nil
    case (.spans(let now), .spans(let before)): return Self.increase(now, since: before).map { .spans($0) }
    case (.exponential(let now), .exponential(let before)):
      return Self.increase(now, since: before).map { .exponential($0) }
    case (.spans(let now), .exponential(let before)):
      return Self.increase(now, since: before.spans).map { .spans($0) }
    case (.exponential(let now), .spans(let before)):
      return Self.increase(now.spans, since: before).map { .spans($0) }
    default: return nil
    }
  }

  /// Whether the value counts nothing: no samples, no buckets, or a sum of 0.
  public var isZero: Bool {
    switch self {
    case .samples(let samples): samples.isEmpty
    case .spans(let spans): spans.isEmpty
    case .exponential(let buckets): buckets.zeros == 0 && buckets.buckets.isEmpty
    case .counter(let sum): sum == 0
    }
  }

  /// The counts of `now` minus those of `before`, span by span. Both are ascending without overlaps, and every earlier
  /// span must lie within one of `now`. Nil when a count decreased.
  private static func increase(_ now: [Span], since before: [Span]) -> [Span]? {
    var earlier = before.filter { $0.count > 0 }[...]
    var gained: [Span] = []
    for span in now {
      var rest = span.count
      while let part = earlier.first, part.low >= span.low, part.high <= span.high {
        // A single value on the edge between two spans belongs to the span of width 0 with that value.
        if part.low == part.high, span.low < span.high, part.low == span.high { break }
        rest -= part.count
        if rest < 0 { return nil }
        earlier.removeFirst()
      }
      if rest > 0 { gained.append(Span(low: span.low, high: span.high, count: rest)) }
    }
    return earlier.isEmpty ? gained : nil
  }

  private static func increase(_ now: ExponentialBuckets, since before: ExponentialBuckets) -> ExponentialBuckets? {
    var now = now
    var before = before
    let scale = min(now.scale, before.scale)
    now.lower(to: scale)
    before.lower(to: scale)
    guard now.zeros >= before.zeros else { return nil }
    var earlier: [Int: Int] = [:]
    for bucket in before.buckets { earlier[bucket.index] = bucket.count }
    var gained: [ExponentialBuckets.Bucket] = []
    for bucket in now.buckets {
      let rest = bucket.count - (earlier.removeValue(forKey: bucket.index) ?? 0)
      if rest < 0 { return nil }
      if rest > 0 { gained.append(.init(index: bucket.index, count: rest)) }
    }
    guard earlier.isEmpty else { return nil }
    return ExponentialBuckets(scale: scale, zeros: now.zeros - before.zeros, buckets: gained)
  }
}

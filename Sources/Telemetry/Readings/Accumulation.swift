/// The position of a reading in a stream that repeats all it counted since `start` (OpenTelemetry's cumulative temporality):
/// only what it says beyond the stream's reading before counts.
public struct Accumulation: Sendable, Hashable {
  /// A hash of everything that names the stream: resource, scope, metric, attributes.
  public var stream: UInt64
  /// When counting began; a process that starts anew starts a new count. 1970 when the client does not say.
  public var start: Timestamp

  public init(stream: UInt64, start: Timestamp) {
    self.stream = stream
    self.start = start
  }
}

extension Reading.Value {
  /// What a cumulative value gained since an earlier one of its stream; all of it when it has fallen, because then its source
  /// began anew.
  public func increase(since earlier: Self) -> Self {
    switch (self, earlier) {
    case (.counter(let now), .counter(let before)): return .counter(now >= before ? now - before : now)
    case (.spans(let now), .spans(let before)): return Self.increase(now, since: before).map { .spans($0) } ?? self
    case (.exponential(let now), .exponential(let before)):
      return Self.increase(now, since: before).map { .exponential($0) } ?? self
    default: return self
    }
  }

  /// Nil when a bucket lost something.
  private static func increase(_ now: [Span], since before: [Span]) -> [Span]? {
    var earlier: [Edges: Int] = [:]
    for span in before { earlier[Edges(span), default: 0] &+= span.count }
    var gained: [Span] = []
    for span in now {
      let rest = span.count - (earlier.removeValue(forKey: Edges(span)) ?? 0)
      if rest < 0 { return nil }
      if rest > 0 { gained.append(Span(low: span.low, high: span.high, count: rest)) }
    }
    return earlier.values.contains { $0 > 0 } ? nil : gained
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

  private struct Edges: Hashable {
    let low: Double
    let high: Double

    init(_ span: Span) { (low, high) = (span.low, span.high) }
  }
}

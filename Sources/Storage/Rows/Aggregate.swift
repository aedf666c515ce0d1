public import Core
public import Statistics

/// The content of a stored row. Merging is associative, commutative and exact, so the order does not matter.
public enum Aggregate: Sendable, Equatable {
  case distribution(Histogram)
  case counter(CounterSum)
  /// Sums of numerators and denominators per payload, for MetricKit's ratios and rates.
  case pair(RatioMoments)
  case sessions(SessionTally)
  case users(UserTally)

  /// Adds another aggregate. An aggregate of another kind changes nothing.
  public mutating func merge(_ other: Aggregate) {
    switch other {
    case .distribution(let theirs):
      guard case .distribution(var mine) = self else { return }
      // Replacing the enum's value first keeps the arrays uniquely referenced, so that a merge does not copy them.
      self = .counter(CounterSum())
      mine.merge(theirs)
      self = .distribution(mine)
    case .counter(let theirs):
      guard case .counter(let mine) = self else { return }
      self = .counter(mine.merged(with: theirs))
    case .pair(let theirs):
      guard case .pair(var mine) = self else { return }
      mine.merge(theirs)
      self = .pair(mine)
    case .sessions(let theirs):
      guard case .sessions(var mine) = self else { return }
      mine.merge(theirs)
      self = .sessions(mine)
    case .users(let theirs):
      guard case .users(var mine) = self else { return }
      self = .counter(CounterSum())
      mine.merge(theirs)
      self = .users(mine)
    }
  }

  /// Removes users from a tally of users; other kinds are unchanged.
  public mutating func remove(_ leaving: UserTally) {
    guard case .users(var mine) = self else { return }
    mine.subtract(leaving)
    self = .users(mine)
  }

  /// Whether nothing remains to be stored, because every session or user of the row has moved to another row.
  public var isVacated: Bool {
    switch self {
    case .sessions(let part): part.isEmpty
    case .users(let part): part.isEmpty
    case .distribution, .counter, .pair: false
    }
  }

  /// Encodes the stored form: a tag for the kind, then the content.
  public func encode(into writer: inout ByteWriter) {
    switch self {
    case .distribution(let part): part.encodeAggregate(into: &writer)
    case .counter(let part): part.encodeAggregate(into: &writer)
    case .pair(let part):
      writer.byte(3)
      part.encode(into: &writer)
    case .sessions(let part):
      writer.byte(part.knowsHangs ? 6 : 4)
      part.encode(into: &writer)
    case .users(let part):
      writer.byte(5)
      part.all.encode(into: &writer)
      part.crashed.encode(into: &writer)
    }
  }

  /// Encodes the sum of an encoded aggregate and this one, with the same result as decoding, `merge` and `encode`. A
  /// `stored` aggregate of another kind is unchanged. On an error nothing is appended.
  public func encode(mergedWith stored: UnsafeRawBufferPointer, into writer: inout ByteWriter) throws(DamagedBytes) {
    switch self {
    case .distribution(let part): return try part.encodeAggregate(mergedWith: stored, into: &writer)
    case .counter(let part): return try part.encodeAggregate(mergedWith: stored, into: &writer)
    case .pair, .sessions, .users: break
    }
    var reader = ByteReader(stored)
    var sum = try Aggregate(from: &reader)
    sum.merge(self)
    sum.encode(into: &writer)
  }

  public init(from reader: inout ByteReader) throws(DamagedBytes) {
    switch try reader.byte() {
    case 1: self = .distribution(try Histogram(from: &reader))
    case 2: self = .counter(try CounterSum(from: &reader))
    case 3: self = .pair(try RatioMoments(from: &reader))
    case 4: self = .sessions(try SessionTally(from: &reader, knowsHangs: false))
    case 6: self = .sessions(try SessionTally(from: &reader, knowsHangs: true))
    case 5: self = .users(UserTally(all: try UserSet(from: &reader), crashed: try UserSet(from: &reader)))
    default: throw DamagedBytes(offset: 0)
    }
  }
}

extension Histogram {
  /// Encodes the distribution as an aggregate.
  public func encodeAggregate(into writer: inout ByteWriter) {
    writer.byte(1)
    encode(into: &writer)
  }

  /// Encodes the sum of an encoded aggregate and this distribution; see `Aggregate.encode(mergedWith:into:)`. Bins and
  /// spans are not decoded into memory, except if some have to be joined.
  public func encodeAggregate(
    mergedWith stored: UnsafeRawBufferPointer, into writer: inout ByteWriter
  ) throws(DamagedBytes) {
    let start = writer.count
    do {
      var reader = ByteReader(stored)
      if try reader.byte() == 1 {
        writer.byte(1)
        if try encode(mergedWith: &reader, into: &writer) { return }
      }
      writer.removeAll(from: start)
      reader = ByteReader(stored)
      var sum = try Aggregate(from: &reader)
      sum.merge(.distribution(self))
      sum.encode(into: &writer)
    } catch {
      writer.removeAll(from: start)
      throw error
    }
  }
}

/// A sum over payloads, in fixed-point steps of the metric's unit (`MetricUnit.stepsPerUnit`).
public struct CounterSum: Sendable, Equatable {
  public var steps: Int64
  /// The number of payloads in which the counter had a value, including 0.
  public var payloads: Int64

  public init(steps: Int64 = 0, payloads: Int64 = 0) {
    self.steps = steps
    self.payloads = payloads
  }

  /// The sum of this counter and another one. It saturates instead of trapping.
  public func merged(with other: CounterSum) -> CounterSum {
    CounterSum(
      steps: steps.saturatingAdd(other.steps), payloads: payloads.saturatingAdd(other.payloads))
  }

  /// Adds a payload's value.
  public mutating func add(steps more: Int64) {
    steps = steps.saturatingAdd(more)
    payloads = payloads.saturatingAdd(1)
  }

  func encode(into writer: inout ByteWriter) {
    writer.signed(steps)
    writer.signed(payloads)
  }

  /// Encodes the counter as an aggregate.
  public func encodeAggregate(into writer: inout ByteWriter) {
    writer.byte(2)
    encode(into: &writer)
  }

  /// Encodes the sum of an encoded aggregate and this counter; see `Aggregate.encode(mergedWith:into:)`.
  public func encodeAggregate(
    mergedWith stored: UnsafeRawBufferPointer, into writer: inout ByteWriter
  ) throws(DamagedBytes) {
    var reader = ByteReader(stored)
    if try reader.byte() == 2 {
      return try CounterSum(from: &reader).merged(with: self).encodeAggregate(into: &writer)
    }
    reader = ByteReader(stored)
    try Aggregate(from: &reader).encode(into: &writer)
  }

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    self.init(steps: try reader.signed(), payloads: try reader.signed())
  }
}

extension Aggregate {
  /// The aggregate of one measurement, in the form of the metric's rows. A distribution's values are added to
  /// `cluster`, and to the histogram's moments only by `close`.
  public init(_ value: Measurement.Value, extent: Extent?, of metric: MetricReference, cluster: inout ClusterSum) {
    let steps = metric.unit.stepsPerUnit
    guard metric.kind == .distribution else {
      self = .counter(CounterSum(steps: Self.fixed(Self.total(value, extent), steps), payloads: 1))
      return
    }
    var histogram = Histogram(scheme: metric.unit == .count ? .integer : .logarithmic)
    switch value {
    case .samples(let samples):
      histogram.insert(samples: samples, samples.indices, stepsPerUnit: steps, into: &cluster)
    case .counter(let sample): histogram.insert(sample, stepsPerUnit: steps, into: &cluster)
    case .spans(let spans):
      histogram.reserve(spans: spans.count)
      histogram.insert(spans: spans, spans.indices, stepsPerUnit: steps, into: &cluster)
    case .exponential(let buckets): histogram.insert(buckets, stepsPerUnit: steps, into: &cluster)
    }
    if let extent {
      histogram.restate(
        sum: extent.sum, minimum: extent.minimum, maximum: extent.maximum, stepsPerUnit: steps)
      histogram.bound(minimum: extent.lowerBound, maximum: extent.upperBound)
    }
    self = .distribution(histogram)
  }

  /// Adds a complete cluster to the moments of a distribution.
  public mutating func close(_ cluster: ClusterSum) {
    guard case .distribution(var histogram) = self else { return }
    histogram.close(cluster)
    self = .distribution(histogram)
  }

  /// The sum of the values for a counter: exact if known, otherwise from the middles of buckets.
  private static func total(_ value: Measurement.Value, _ extent: Extent?) -> Double {
    if let extent { return extent.sum }
    switch value {
    case .counter(let sum): return sum
    case .samples(let samples): return samples.reduce(0, +)
    case .spans(let spans):
      return spans.reduce(0) { $0 + ($1.high.isFinite ? ($1.low + $1.high) / 2 : $1.low) * Double($1.count) }
    case .exponential(let histogram):
      return histogram.buckets.reduce(0) { $0 + histogram.middle(of: $1.index) * Double($1.count) }
    }
  }

  private static func fixed(_ value: Double, _ stepsPerUnit: Double) -> Int64 {
    let steps = (value * stepsPerUnit).rounded()
    return steps >= 0 ? (steps < 9e18 ? Int64(steps) : .max) : 0
  }
}

extension Histogram {
  /// Inserts exponential buckets. Buckets at the scale of Plumb's bins stay exact; coarser ones become spans.
  fileprivate mutating func insert(
    _ histogram: ExponentialBuckets, stepsPerUnit: Double, into cluster: inout ClusterSum
  ) {
    insert(0, stepsPerUnit: stepsPerUnit, count: histogram.zeros, into: &cluster)
    let areBins = scheme == .logarithmic && histogram.scale == ExponentialBuckets.finestScale
    for bucket in histogram.buckets {
      if areBins, let index = Int32(exactly: bucket.index) {
        insertBin(index, count: bucket.count, stepsPerUnit: stepsPerUnit, into: &cluster)
      } else {
        let edges = histogram.edges(of: bucket.index)
        insertSpan(
          low: edges.low, high: edges.high, count: bucket.count, stepsPerUnit: stepsPerUnit, into: &cluster)
      }
    }
  }
}

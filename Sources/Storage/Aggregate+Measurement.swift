public import Core
public import Statistics

extension Aggregate {
  /// The aggregate of one measurement, in the form that rows of `metric` have. A distribution's values are added to
  /// `cluster`, and enter the histogram's moments only when `close` is called.
  public init(_ value: Measurement.Value, extent: Extent?, of metric: MetricReference, cluster: inout ClusterSum) {
    let steps = metric.unit.stepsPerUnit
    guard metric.kind == .distribution else {
      self = .counter(CounterSum(steps: Self.fixed(Self.total(value, extent), steps), payloads: 1))
      return
    }
    var histogram = Histogram(scheme: metric.unit == .count ? .integer : .logarithmic)
    switch value {
    case .samples(let samples):
      for sample in samples { histogram.insert(sample, stepsPerUnit: steps, into: &cluster) }
    case .counter(let sample): histogram.insert(sample, stepsPerUnit: steps, into: &cluster)
    case .spans(let spans): histogram.insert(spans, stepsPerUnit: steps, into: &cluster)
    case .exponential(let buckets): histogram.insert(buckets, stepsPerUnit: steps, into: &cluster)
    }
    if let extent {
      histogram.restate(
        sum: extent.sum, minimum: extent.minimum, maximum: extent.maximum, stepsPerUnit: steps)
      histogram.bound(minimum: extent.lowerBound, maximum: extent.upperBound)
    }
    self = .distribution(histogram)
  }

  /// Adds a finished cluster to the moments of a distribution.
  public mutating func close(_ cluster: ClusterSum) {
    guard case .distribution(var histogram) = self else { return }
    histogram.close(cluster)
    self = .distribution(histogram)
  }

  /// The sum of the values, for a counter: exact where it is known, else from the middles of buckets.
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
  fileprivate mutating func insert(_ spans: [Span], stepsPerUnit: Double, into cluster: inout ClusterSum) {
    reserve(spans: spans.count)
    for span in spans {
      insertSpan(low: span.low, high: span.high, count: span.count, stepsPerUnit: stepsPerUnit, into: &cluster)
    }
  }

  /// Inserts exponential buckets. Those at the scale of Plumb's bins are exact; coarser ones are inserted as spans.
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

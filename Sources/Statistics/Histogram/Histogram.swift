public import Core

/// A distribution of values that merges without loss: raw samples are counted in bins, and bucketed counts in spans
/// with their original edges. Sums are whole numbers, so that any order of adding and merging gives the same result.
///
/// `HistogramReader` computes statistics from it.
public struct Histogram: Sendable, Equatable {
  /// The mapping from values to bins.
  public let scheme: BinScheme
  /// The number of values, including zeros.
  public internal(set) var count = 0
  /// The number of values that are exactly 0 (in the integer scheme: that round to 0).
  var zeroCount = 0
  /// The sum in fixed-point steps. The values of a span count as its middle, those of an infinite span as its lower
  /// edge. Saturates at `Int64.max`.
  public internal(set) var sum: Int64 = 0
  /// Whether sum, minimum or maximum were computed from the edges of buckets.
  public internal(set) var isEstimated = false
  /// The moments of the closed payloads, which show the correlation of values within a payload.
  public internal(set) var moments = ClusterMoments()

  var bins = SortedCounts<Bin>()
  var spans = SpanCounts()
  var lowest = Double.infinity
  var highest = -Double.infinity

  /// Creates a histogram without values.
  public init(scheme: BinScheme) { self.scheme = scheme }

  /// The smallest value, or the lower edge of the lowest span; nil when the histogram is empty.
  public var minimum: Double? { count > 0 ? lowest : nil }
  /// The largest value, or the upper edge of the highest span (of an infinite one, its lower edge); nil when the
  /// histogram is empty.
  public var maximum: Double? { count > 0 ? highest : nil }
}

extension Histogram {
  /// Counts a sample. A negative, NaN or infinite value, or a count below 1, changes nothing and returns false.
  ///
  /// `stepsPerUnit` is the resolution of `sum`: 1,000 for milliseconds summed in microseconds.
  @discardableResult
  public mutating func insert(
    _ value: Double, stepsPerUnit: Double, count: Int = 1, into cluster: inout ClusterSum
  ) -> Bool {
    guard value >= 0, value < .infinity, count > 0 else { return false }
    let sample = scheme == .integer ? value.rounded() : value
    guard sample >= .leastNormalMagnitude else {
      insertZero(count: count, into: &cluster)
      return true
    }
    let index = scheme.index(of: sample)
    bins.add(Bin(index: index, count: count))
    boundBins()
    widen(low: sample, high: sample)
    tally(sample, index: index, count: count, stepsPerUnit: stepsPerUnit, into: &cluster)
    return true
  }

  /// Counts values that are known to be in a bin, such as those of an exponential histogram's bucket. Sum, minimum and
  /// maximum use the bin's value. An index outside the scheme, or a count below 1, changes nothing and returns false.
  @discardableResult
  public mutating func insertBin(
    _ index: Int32, count: Int, stepsPerUnit: Double, into cluster: inout ClusterSum
  ) -> Bool {
    guard scheme.indices.contains(index), count > 0 else { return false }
    let value = scheme.value(of: index)
    bins.add(Bin(index: index, count: count))
    boundBins()
    widen(low: value, high: value)
    isEstimated = isEstimated || !scheme.isWhole(index)
    tally(value, index: index, count: count, stepsPerUnit: stepsPerUnit, into: &cluster)
    return true
  }

  /// Counts the values of a bucket [low, high). `high` may be infinite; equal edges mean a single value. Edges that are
  /// negative, NaN or out of order, or a count below 1, change nothing and return false.
  @discardableResult
  public mutating func insertSpan(
    low: Double, high: Double, count: Int, stepsPerUnit: Double, into cluster: inout ClusterSum
  ) -> Bool {
    guard let span = Span(checkedLow: low, high: high, count: count) else { return false }
    guard span.high > 0 else {
      insertZero(count: count, into: &cluster)
      return true
    }
    spans.add(span)
    widen(low: span.low, high: span.isInfinite ? span.low : span.high)
    if !span.isPoint { isEstimated = true }
    let index = span.middleIndex(in: scheme)
    tally(span.middle, index: index, count: count, stepsPerUnit: stepsPerUnit, into: &cluster)
    return true
  }

  /// Counts the samples at `indices`; see `insert`.
  public mutating func insert(
    samples: [Double], _ indices: Range<Int>, stepsPerUnit: Double, into cluster: inout ClusterSum
  ) {
    for index in indices { insert(samples[index], stepsPerUnit: stepsPerUnit, into: &cluster) }
  }

  /// Counts the values of the buckets at `indices`; see `insertSpan`.
  public mutating func insert(
    spans: [Span], _ indices: Range<Int>, stepsPerUnit: Double, into cluster: inout ClusterSum
  ) {
    for index in indices {
      let span = spans[index]
      insertSpan(low: span.low, high: span.high, count: span.count, stepsPerUnit: stepsPerUnit, into: &cluster)
    }
  }

  /// Counts the values of one measurement's buckets, whose exact sum, minimum and maximum are known; see `restate`.
  public mutating func insert(
    spans: [Span], _ indices: Range<Int>, extent: Extent, stepsPerUnit: Double, into cluster: inout ClusterSum
  ) {
    let others = (count: count, sum: sum, isEstimated: isEstimated, lowest: lowest, highest: highest)
    (count, sum, isEstimated, lowest, highest) = (0, 0, false, .infinity, -.infinity)
    insert(spans: spans, indices, stepsPerUnit: stepsPerUnit, into: &cluster)
    restate(sum: extent.sum, minimum: extent.minimum, maximum: extent.maximum, stepsPerUnit: stepsPerUnit)
    (count, sum) = (count.saturatingAdd(others.count), sum.saturatingAdd(others.sum))
    isEstimated = isEstimated || others.isEstimated
    widen(low: others.lowest, high: others.highest)
  }

  /// Removes all values. The memory of bins and spans stays.
  public mutating func removeAll() {
    (count, zeroCount, sum, isEstimated) = (0, 0, 0, false)
    (lowest, highest) = (.infinity, -.infinity)
    moments = ClusterMoments()
    bins.removeAll()
    spans.removeAll()
  }

  /// Reserves memory for `count` more spans.
  public mutating func reserve(spans count: Int) { spans.reserve(count) }

  /// Adds a complete payload to the moments. A payload without values is ignored.
  public mutating func close(_ cluster: ClusterSum) { moments.add(cluster) }

  private mutating func insertZero(count more: Int, into cluster: inout ClusterSum) {
    zeroCount = zeroCount.saturatingAdd(more)
    count = count.saturatingAdd(more)
    widen(low: 0, high: 0)
    cluster.add(count: more, index: ClusterSum.zeroIndex)
  }

  private mutating func tally(
    _ value: Double, index: Int32, count more: Int, stepsPerUnit: Double, into cluster: inout ClusterSum
  ) {
    count = count.saturatingAdd(more)
    sum = sum.saturatingAdd(fixedPoint(value, stepsPerUnit: stepsPerUnit, count: more))
    cluster.add(count: more, index: index)
  }

  /// The maximum number of bins of one distribution: values that fill 32 doublings without a gap.
  static let mostBins = 2_048

  /// Merges neighbouring bins while there are too many. Real measurements do not spread so far, and made-up ones must
  /// not fill memory and disk. A merged bin is read at its middle.
  mutating func boundBins() {
    guard bins.entries.count > Self.mostBins else { return }
    isEstimated = true
    var level: Int32 = 0
    // A quarter of the bins stays free, so that the next values do not cause another merge.
    while bins.entries.count > Self.mostBins * 3 / 4, level < 18 {
      level += 1
      bins = SortedCounts(unsorted: bins.entries.map { Bin(index: joined($0.index, level), count: $0.count) })
    }
  }

  /// The index of the middle of the 2^`level` bins with which the bin `index` is merged. Bins of one whole number are
  /// unchanged.
  private func joined(_ index: Int32, _ level: Int32) -> Int32 {
    if scheme.isWhole(index) { return index }
    let middle = (index >> level) << level + 1 << (level - 1)
    let lowest = scheme == .integer ? Int32(BinScheme.lastInteger + 1) : scheme.indices.lowerBound
    return min(max(middle, lowest), scheme.indices.upperBound)
  }

  /// Whether no bucket of one histogram partly overlaps a bucket of the other.
  public func sharesBuckets(with other: Histogram) -> Bool {
    let (mine, theirs) = (spans.entries, other.spans.entries)
    var (one, two) = (0, 0)
    while one < mine.count, two < theirs.count {
      let (left, right) = (mine[one], theirs[two])
      if left.high <= right.low, !left.isPoint || left.low < right.low {
        one += 1
      } else if right.high <= left.low, !right.isPoint || right.low < left.low {
        two += 1
      } else {
        guard left.low == right.low, left.high == right.high else { return false }
        (one, two) = (one + 1, two + 1)
      }
    }
    return true
  }

  /// The number of values above `limit`. The values of a bin count at the bin's value, those of a span are spread
  /// evenly.
  public func count(above limit: Double) -> Double {
    var above = limit < 0 ? Double(zeroCount) : 0
    for bin in bins.entries where scheme.value(of: bin.index) > limit { above += Double(bin.count) }
    for span in spans.entries {
      if span.low >= limit {
        above += span.isPoint && span.low == limit ? 0 : Double(span.count)
      } else if span.high > limit, !span.isInfinite {
        above += Double(span.count) * (span.high - limit) / (span.high - span.low)
      }
    }
    return above
  }

  /// The number of bins and spans in the histogram.
  public var partCount: Int { bins.entries.count + spans.entries.count }

  func clamped(_ value: Double) -> Double {
    value.isFinite && count > 0 ? min(max(value, lowest), highest) : value
  }

  mutating func widen(low: Double, high: Double) {
    if low < lowest { lowest = low }
    if high > highest { highest = high }
  }
}

extension Histogram {
  /// Adds another distribution of the same metric. The result is exact in any order and grouping, as long as the values
  /// fill at most `mostBins`.
  ///
  /// A histogram of the other scheme is added by the values of its bins.
  public mutating func merge(_ other: Histogram) {
    if scheme == other.scheme {
      bins.merge(other.bins)
    } else {
      for bin in other.bins.entries {
        let index = max(scheme.indices.lowerBound, scheme.index(of: other.scheme.value(of: bin.index)))
        bins.add(Bin(index: index, count: bin.count))
      }
    }
    boundBins()
    mergeAllButBins(other)
  }

  private mutating func mergeAllButBins(_ other: Histogram) {
    spans.merge(other.spans)
    count = count.saturatingAdd(other.count)
    zeroCount = zeroCount.saturatingAdd(other.zeroCount)
    sum = sum.saturatingAdd(other.sum)
    isEstimated = isEstimated || other.isEstimated
    moments.merge(other.moments)
    widen(low: other.lowest, high: other.highest)
  }
}

extension Histogram {
  /// Replaces the sum, minimum and maximum with the exact ones from the client, as far as they are given. Without both
  /// minimum and maximum the histogram remains estimated. An empty histogram and impossible numbers change nothing.
  ///
  /// `stepsPerUnit` is the resolution of `sum`.
  public mutating func restate(sum exact: Double, minimum: Double?, maximum: Double?, stepsPerUnit: Double) {
    guard count > 0, exact >= 0, exact < .infinity, minimum ?? 0 >= 0, minimum ?? 0 < .infinity,
      maximum ?? 0 < .infinity, minimum ?? 0 <= maximum ?? .infinity
    else { return }
    sum = fixedPoint(exact, stepsPerUnit: stepsPerUnit, count: 1)
    // A bin's value stands for all its values and may be outside their exact range.
    // Adding zero turns −0 into 0, so that the order of merging does not show.
    if let minimum { lowest = minimum + 0 }
    if let maximum { highest = maximum + 0 }
    if lowest > highest { if minimum == nil { lowest = highest } else { highest = lowest } }
    if minimum != nil, maximum != nil { isEstimated = false }
  }

  /// Limits the estimated minimum and maximum to bounds known for all values.
  public mutating func bound(minimum: Double?, maximum: Double?) {
    guard count > 0, minimum ?? 0 >= 0, maximum ?? 0 >= 0, minimum ?? 0 <= maximum ?? .infinity else { return }
    if let minimum, minimum < .infinity, minimum > lowest {
      lowest = minimum
      highest = max(highest, lowest)
    }
    if let maximum, maximum < highest {
      highest = maximum
      lowest = min(lowest, highest)
    }
  }
}

extension Histogram {
  /// The sum of several distributions of one metric, equal to merging them one by one. Bins of samples are close
  /// together, so they are added in an array of counters, which is faster than merging sorted lists.
  public init(sum parts: [Histogram]) {
    self.init(scheme: parts.first?.scheme ?? .logarithmic)
    guard parts.count > 2, let row = BinRow(parts, scheme: scheme) else {
      for part in parts { merge(part) }
      return
    }
    for part in parts { mergeAllButBins(part) }
    bins = row.counts
  }
}

/// An array with one counter for each bin from the lowest to the highest.
private struct BinRow {
  private var counters: [Int]
  private let lowest: Int32

  /// The maximum number of counters in the array; bins that are further apart are merged as lists.
  private static let widest = 4_096

  /// Nil if there are no bins, if they are too far apart, or if the schemes differ.
  init?(_ parts: [Histogram], scheme: BinScheme) {
    var (low, high) = (Int32.max, Int32.min)
    for part in parts {
      guard part.scheme == scheme else { return nil }
      if let first = part.bins.entries.first, let last = part.bins.entries.last {
        low = min(low, first.index)
        high = max(high, last.index)
      }
    }
    guard low <= high, Int(high) - Int(low) < Self.widest else { return nil }
    lowest = low
    counters = [Int](repeating: 0, count: Int(high) - Int(low) + 1)
    for part in parts {
      for bin in part.bins.entries {
        let index = Int(bin.index) - Int(low)
        counters[index] = counters[index].saturatingAdd(bin.count)
      }
    }
  }

  /// The bins with a count above 0, in ascending order.
  var counts: SortedCounts<Bin> {
    var entries: [Bin] = []
    for (index, count) in counters.enumerated() where count > 0 {
      entries.append(Bin(index: lowest + Int32(index), count: count))
    }
    return SortedCounts(sorted: entries)
  }
}

/// The nearest whole number of steps times `count`, at most `Int64.max`. `value` must not be negative.
public func fixedPoint(_ value: Double, stepsPerUnit: Double, count: Int) -> Int64 {
  let steps = value * stepsPerUnit
  guard steps < 9.2e18 else { return .max }
  guard steps > 0 else { return 0 }
  // A processor without SSE 4.1 has no instruction for `rounded()`, which is therefore a call.
  let whole = Int64(steps)
  let nearest = steps - Double(whole) >= 0.5 ? whole + 1 : whole
  return nearest.saturatingMultiply(Int64(count))
}

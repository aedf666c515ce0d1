import Telemetry

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

  /// Counts values known to lie in a bin, as an exponential histogram says it. The sum, minimum and maximum take them at
  /// the bin's value. An index that no value has, or a count below 1, changes nothing and returns false.
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

  /// Counts the values of a bucket [low, high). `high` may be infinite; equal edges are a point mass. Edges that are
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

  /// The payload is complete: its part enters the moments. An empty one is ignored.
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

  /// The most distinct bins that one distribution keeps: values that fill 32 doublings without a gap.
  static let mostBins = 2_048

  /// Joins neighbouring bins when there are too many. Nothing that is measured spreads so far, and a client that makes it up
  /// must not fill memory and disk with it: what is joined is read at the middle of the joined bins.
  mutating func boundBins() {
    guard bins.entries.count > Self.mostBins else { return }
    isEstimated = true
    var level: Int32 = 0
    // Some room, so that the next values do not join everything again.
    while bins.entries.count > Self.mostBins * 3 / 4, level < 18 {
      level += 1
      bins = SortedCounts(unsorted: bins.entries.map { Bin(index: joined($0.index, level), count: $0.count) })
    }
  }

  /// The middle one of the 2^`level` bins that a bin is joined with. Whole numbers stay what they are.
  private func joined(_ index: Int32, _ level: Int32) -> Int32 {
    if scheme.isWhole(index) { return index }
    let middle = (index >> level) << level + 1 << (level - 1)
    let lowest = scheme == .integer ? Int32(BinScheme.lastInteger + 1) : scheme.indices.lowerBound
    return min(max(middle, lowest), scheme.indices.upperBound)
  }

  /// How many bins and spans it holds.
  public var partCount: Int { bins.entries.count + spans.entries.count }

  func clamped(_ value: Double) -> Double {
    value.isFinite && count > 0 ? min(max(value, lowest), highest) : value
  }

  mutating func widen(low: Double, high: Double) {
    if low < lowest { lowest = low }
    if high > highest { highest = high }
  }
}

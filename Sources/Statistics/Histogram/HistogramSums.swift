import Core

/// The parts of a histogram as numbers that a database can aggregate by sum, minimum or maximum. The aggregated parts
/// of several histograms of one scheme are those of their merged histogram. A change may have negative counts.
public struct HistogramSums: Sendable {
  /// The mapping from values to bins, which all added histograms share.
  public var scheme: BinScheme
  public var zeroCount: Int128 = 0
  public var sum: Int128 = 0
  /// The number of added histograms whose sum, minimum or maximum were computed from the edges of buckets.
  public var estimated: Int128 = 0
  /// The sums of `ClusterMoments`.
  public var clusters: Int128 = 0
  public var squares: Int128 = 0
  public var between: Int128 = 0
  /// The smallest value; nil without values. `highest` is the largest.
  public var lowest: Double?
  public var highest: Double?
  /// The number of samples by the index of their bin, in no particular order.
  public var bins: [(index: Int32, count: Int64)] = []
  /// The number of values by the edges of their span, in no particular order.
  public var spans: [(low: Double, high: Double, count: Int64)] = []
  /// How far the edges of spans were moved: 0 for original edges. The greatest of all parts applies.
  public var coarseness: UInt8 = 0

  public init(scheme: BinScheme) { self.scheme = scheme }
}

extension Histogram {
  /// The histogram's parts as sums.
  public var sums: HistogramSums {
    var sums = HistogramSums(scheme: scheme)
    sums.zeroCount = Int128(zeroCount)
    sums.sum = Int128(sum)
    sums.estimated = isEstimated ? 1 : 0
    sums.clusters = Int128(moments.clusters)
    sums.squares = moments.squares
    sums.between = moments.between
    sums.lowest = minimum
    sums.highest = maximum
    sums.bins = bins.entries.map { ($0.index, Int64($0.count)) }
    sums.spans = spans.entries.map { ($0.low, $0.high, Int64($0.count)) }
    sums.coarseness = spans.coarseness
    return sums
  }

  /// Creates the histogram with these sums. Counts below 1, and bins and spans that no histogram can have, are omitted.
  public init(_ sums: HistogramSums) {
    self.init(scheme: sums.scheme)
    zeroCount = Int(clamping: max(0, sums.zeroCount))
    sum = Int64(clamping: max(0, sums.sum))
    isEstimated = sums.estimated > 0
    moments = ClusterMoments(
      clusters: Int(clamping: max(0, sums.clusters)), squares: max(0, sums.squares), between: max(0, sums.between))
    bins = SortedCounts(
      unsorted: sums.bins.compactMap { bin in
        bin.count > 0 && scheme.indices.contains(bin.index) ? Bin(index: bin.index, count: Int(bin.count)) : nil
      })
    spans = SpanCounts(
      unsorted: sums.spans.compactMap { Span(checkedLow: $0.low, high: $0.high, count: Int($0.count)) },
      coarseness: sums.coarseness)
    count = zeroCount
    for bin in bins.entries { count = count.saturatingAdd(bin.count) }
    for span in spans.entries { count = count.saturatingAdd(span.count) }
    if let lowest = sums.lowest, let highest = sums.highest, count > 0 { widen(low: lowest, high: highest) }
    boundBins()
  }
}

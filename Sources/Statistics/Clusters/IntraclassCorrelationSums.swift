public import Core

/// The sums over a part of a distribution, such as the values of one release, that measure the correlation of values
/// within a payload. The sums of several rows can be added without their bins.
public struct IntraclassCorrelationSums: Sendable, Equatable {
  /// The number of values.
  private(set) var count = 0
  /// The sum of the bin indices of all values, as `ClusterMoments` counts them.
  private(set) var indexSum: Int128 = 0
  /// `ClusterMoments.between`.
  private(set) var between: Int128 = 0

  /// Creates sums over no values.
  public init() {}

  public init(_ histogram: Histogram) {
    count = histogram.count
    indexSum = histogram.indexSum
    between = histogram.moments.between
  }

  /// The sums over several histograms.
  public init(sum parts: some Sequence<Histogram>) {
    for part in parts { merge(IntraclassCorrelationSums(part)) }
  }

  /// Adds the sums over other values.
  public mutating func merge(_ other: IntraclassCorrelationSums) {
    count = count.saturatingAdd(other.count)
    indexSum = indexSum.saturatingAdd(other.indexSum)
    between = between.saturatingAdd(other.between)
  }
}

extension IntraclassCorrelationSums {
  /// Decodes the sums of an encoded histogram without its bins and spans in memory. Throws for bytes that are not a
  /// histogram.
  public init(ofHistogram reader: inout ByteReader) throws(DamagedBytes) {
    let head = try EncodedHistogramHead(from: &reader)
    between = head.moments.between
    add(ClusterSum.zeroIndex, head.zeroCount)
    var bins = try EncodedBins(from: &reader, indices: head.scheme.indices)
    while bins.left > 0 {
      let bin = try bins.next(from: &reader)
      add(bin.index, bin.count)
    }
    var spans = try EncodedSpans(from: &reader)
    while spans.left > 0 {
      let span = try spans.next(from: &reader)
      add(span.middleIndex(in: head.scheme), span.count)
    }
  }

  private mutating func add(_ index: Int32, _ more: Int) {
    count = count.saturatingAdd(more)
    let (product, overflow) = Int(index).multipliedReportingOverflow(by: more)
    indexSum = indexSum.saturatingAdd(overflow ? Int128(index) * Int128(more) : Int128(product))
  }
}

extension IntraclassCorrelationSums {
  /// A whole index near the mean. Integer arithmetic about it keeps the digits that a difference of large sums would
  /// lose. The mean is limited to the range of indices: a saturated count would put it outside, and squares beyond 128
  /// bits.
  var centre: Int128 { count > 0 ? min(max(indexSum / Int128(count), -Self.farthestIndex), Self.farthestIndex) : 0 }

  /// The squares about `centre` minus those about the mean.
  var correction: Double {
    guard count > 0 else { return 0 }
    let rest = Double(wide: indexSum - centre * Int128(count))
    return rest * rest / Double(count)
  }

  /// The sum of squares of payload means about the mean bin index.
  var betweenSquares: Double {
    let n = Int128(count)
    let squares = between.saturatingSubtract(32 * centre * indexSum).saturatingAdd(16 * centre * centre * n)
    return count > 0 ? max(0, Double(wide: squares) / 16 - correction) : 0
  }

  /// A bound on the magnitude of any bin index.
  private static let farthestIndex: Int128 = 1 << 17
}

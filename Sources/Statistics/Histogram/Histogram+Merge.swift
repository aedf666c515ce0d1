import Telemetry

extension Histogram {
  /// Adds another distribution of the same metric: exact, in any order and grouping.
  ///
  /// A histogram of the other scheme is taken in by the values of its bins.
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
    spans.merge(other.spans)
    count = count.saturatingAdd(other.count)
    zeroCount = zeroCount.saturatingAdd(other.zeroCount)
    sum = sum.saturatingAdd(other.sum)
    isEstimated = isEstimated || other.isEstimated
    moments.merge(other.moments)
    widen(low: other.lowest, high: other.highest)
  }
}

import Telemetry

/// The values of one class of devices.
public struct ClassSample: Sendable {
  public var reader: HistogramReader
  public var effect: DesignEffect

  public init(reader: HistogramReader, effect: DesignEffect) {
    self.reader = reader
    self.effect = effect
  }
}

extension ComparableEstimate {
  /// ln of a percentile of all classes taken together, as if each made up the share of values that its weight says: for
  /// classes that are too small to have bounds of their own. Nil where all of them are.
  ///
  /// Direct standardisation: F is the weighted mean of the classes' distributions, and its variance is at most that of
  /// 1/Σ(w²/n) independent values, n being a class's effective sample.
  public static func quantile(_ p: Double, of classes: [ClassSample], weights: [Double]) -> Self? {
    let parts = zip(classes, weights).filter { $0.effect.nEffective > 0 && $1 > 0 }
    let total = parts.reduce(0) { $0 + $1.1 }
    guard total > 0, total < .infinity, let scheme = parts.first?.0.reader.histogram.scheme else { return nil }
    var whole = Histogram(scheme: scheme)
    var (variance, spread) = (0.0, 0.0)
    for (part, weight) in parts {
      let share = weight / total
      whole.merge(part.reader.histogram.scaled(by: share * scale / Double(part.reader.count)))
      let own = share * share / part.effect.nEffective
      variance += own
      spread += own * own / max(1, part.effect.freedom)
    }
    let effect = DesignEffect(
      value: Double(whole.count) * variance, of: Double(whole.count), isClustered: true,
      freedom: variance * variance / spread)
    return quantile(p, of: HistogramReader(whole), effect: effect)
  }

  /// How many values the classes are scaled to: rounding to whole ones moves no rank that matters.
  private static let scale = 1e9
}

extension Histogram {
  /// Every count times a factor, rounded. Sums and moments are left out: only ranks are asked for.
  fileprivate func scaled(by factor: Double) -> Histogram {
    func count(_ own: Int) -> Int { Int(saturating: min((Double(own) * factor).rounded(), 1e15)) }
    var scaled = Histogram(scheme: scheme)
    scaled.zeroCount = count(zeroCount)
    scaled.bins = SortedCounts(
      sorted: bins.entries.compactMap { count($0.count) > 0 ? Bin(index: $0.index, count: count($0.count)) : nil })
    scaled.spans = SpanCounts(
      sorted: spans.entries.compactMap { Span(checkedLow: $0.low, high: $0.high, count: count($0.count)) },
      coarseness: spans.coarseness)
    scaled.count =
      scaled.spans.entries.reduce(scaled.bins.entries.reduce(scaled.zeroCount) { $0.saturatingAdd($1.count) }) {
        $0.saturatingAdd($1.count)
      }
    (scaled.lowest, scaled.highest) = (lowest, highest)
    return scaled
  }
}

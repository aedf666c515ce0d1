import Telemetry

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An estimate on the scale on which two releases are compared, with its variance.
public struct ComparableEstimate: Sendable, Equatable {
  /// The value on the comparison scale: the natural logarithm of a percentile or mean. A rate is not transformed.
  public var value: Double
  /// The variance of the estimate, which is its squared standard error.
  public var variance: Double
  /// The degrees of freedom of the variance.
  public var freedom: Double

  public init(value: Double, variance: Double, freedom: Double) {
    self.value = value
    self.variance = variance
    self.freedom = freedom
  }
}

extension ComparableEstimate {
  /// The logarithm of a percentile. Its standard error is the width of its order-statistic bounds on the effective
  /// sample, on the log scale, divided by the width for a normal variable. Nil if a bound does not exist or is zero.
  ///
  /// R. Woodruff (1952); E. Korn and B. Graubard (1998). Values are spread evenly over spans, because a client's bucket
  /// edges are the same for both releases and cancel out. The unknown position of a value within its bin adds to the
  /// variance.
  public static func quantile(_ p: Double, of reader: HistogramReader, effect: DesignEffect) -> Self? {
    // The small number of clusters is taken into account once only: by the test's degrees of freedom.
    let known = DesignEffect(value: effect.value, of: Double(reader.count), isClustered: effect.isClustered)
    let ranks = Interval.quantileRanks(p, count: reader.count, effect: known, tail: boundTail)
    guard let value = reader.quantile(p)?.value, value > 0, value < .infinity,
      let low = ranks.low.flatMap({ reader.value(atRank: Double($0)) }), low > 0,
      let high = ranks.high.flatMap({ reader.value(atRank: Double($0)) }), high < .infinity
    else { return nil }
    let error = log(high / low) / (2 * boundWidth)
    return Self(
      value: log(value), variance: error * error + resolution(of: value, reader),
      freedom: min(effect.freedom, effect.nEffective - 1))
  }

  /// The logarithm of the mean, by the delta method. Nil below two effective values, and for a mean of zero.
  public static func mean(of reader: HistogramReader, effect: DesignEffect) -> Self? {
    guard effect.nEffective >= 2, let mean = reader.mean, mean > 0, let variance = reader.variance else { return nil }
    return Self(
      value: log(mean), variance: variance / effect.nEffective / (mean * mean),
      freedom: min(effect.freedom, effect.nEffective - 1))
  }

  /// A ratio of sums Σx/Σy with its linearised variance (W. Cochran, "Sampling Techniques", 2.11), multiplied by `deff`
  /// for payloads of one phone. If Σx is 0, the variance is that of a single x of 1, because the rate is not known to
  /// be exactly zero. Nil below ten clusters or without y.
  public static func rate(_ sums: PairSum, deff: Double) -> Self? {
    guard sums.clusters >= DesignEffect.fewestClusters, sums.y > 0 else { return nil }
    let clusters = Double(sums.clusters)
    let y = Double(sums.y)
    let rate = Double(sums.x) / y
    let spread = sums.x == 0 ? 1 : sums.residual(share: rate) * clusters / (clusters - 1)
    let variance = spread / (y * y)
    let deff = max(1, deff)
    return Self(value: rate, variance: variance * deff, freedom: max(1, clusters / deff - 1))
  }

  /// The probability beyond each bound from which a standard error is computed.
  public static let boundTail = 0.025
  private static let boundWidth = 1.959_963_984_540_054

  /// The variance of a value with an unknown position in its bin.
  private static func resolution(of value: Double, _ reader: HistogramReader) -> Double {
    guard !reader.histogram.bins.entries.isEmpty else { return 0 }
    let scheme = reader.histogram.scheme
    let isWhole = scheme == .integer && value <= Double(BinScheme.lastInteger)
    let bounds = isWhole ? (low: value - 0.5, high: value + 0.5) : scheme.bounds(of: scheme.index(of: value))
    guard bounds.low > 0 else { return 0 }
    let width = log(bounds.high / bounds.low)
    return width * width / 12
  }
}

extension ComparableEstimate {
  /// The estimate converted to another unit.
  public func scaled(by factor: Double) -> Self {
    Self(value: value * factor, variance: variance * factor * factor, freedom: freedom)
  }
}

/// The values of one device class, with their design effect.
public struct ClassSample: Sendable {
  public var reader: HistogramReader
  public var effect: DesignEffect

  public init(reader: HistogramReader, effect: DesignEffect) {
    self.reader = reader
    self.effect = effect
  }
}

extension ComparableEstimate {
  /// The logarithm of a percentile over all classes, weighted as if each made up the share of its weight: for classes
  /// too small for bounds of their own. Nil if even all of them together are.
  ///
  /// Direct standardisation: F is the weighted mean of the classes' distributions, and its variance is at most that of
  /// 1/Σ(w²/n) independent values, where n is a class's effective sample.
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

  /// The total count to which the classes are scaled: so large that rounding to whole counts does not matter.
  private static let scale = 1e9
}

extension Histogram {
  /// The histogram with every count multiplied by a factor and rounded. Sums and moments are left out, because only
  /// ranks are used.
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

import Core

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An estimate on the scale on which two releases are compared. It has two variances, because intervals of percentiles
/// are not symmetric: `below` towards smaller values and `above` towards larger ones.
public struct ComparableEstimate: Sendable, Equatable {
  /// The value on the comparison scale: the natural logarithm of a percentile or mean. A rate is not transformed.
  var value: Double
  /// The squared standard error towards smaller values.
  var below: Double
  /// The squared standard error towards larger values.
  var above: Double
  /// The degrees of freedom of the two variances.
  var freedom: Double
  /// The distances by which the value can move down or up if the values of buckets lie at their edges.
  var placement = Placement()

  /// Distances on the comparison scale; infinite if a bucket is unbounded.
  public struct Placement: Sendable, Equatable {
    public var below = 0.0
    public var above = 0.0
  }

  public init(value: Double, below: Double, above: Double, freedom: Double) {
    self.value = value
    self.below = below
    self.above = above
    self.freedom = freedom
  }

  public init(value: Double, variance: Double, freedom: Double) {
    self.init(value: value, below: variance, above: variance, freedom: freedom)
  }
}

extension ComparableEstimate {
  /// The logarithm of a percentile. Its standard error is the width of its order-statistic bounds on the effective
  /// sample, on the log scale, divided by the width for a normal variable. Nil if a bound does not exist or is zero.
  ///
  /// R. Woodruff (1952); E. Korn and B. Graubard (1998). The standard error is that of evenly spread spans; `placement`
  /// has the distances by which the value moves with their edges. The position of a value within its bin is unknown,
  /// which adds a variance.
  public static func quantile(_ p: Double, of reader: HistogramReader, effect: DesignEffect) -> Self? {
    // The small number of clusters is taken into account only once: by the test's degrees of freedom.
    let known = DesignEffect(value: effect.value, of: Double(reader.count), isClustered: effect.isClustered)
    let ranks = Interval.quantileRanks(p, count: reader.count, effect: known, tail: boundTail)
    guard let value = reader.quantile(p)?.value, value > 0, value < .infinity,
      let low = ranks.low.flatMap({ reader.value(atRank: Double($0)) }), low > 0,
      let high = ranks.high.flatMap({ reader.value(atRank: Double($0)) }), high < .infinity
    else { return nil }
    let error = log(high / low) / (2 * boundWidth)
    var estimate = Self(
      value: log(value), variance: error * error + resolution(of: value, reader),
      freedom: min(effect.freedom, effect.nEffective - 1))
    let rank = (p * Double(reader.count) * (1 - 1e-12)).rounded(.up)
    if let low = reader.value(atRank: rank, .low), let high = reader.value(atRank: rank, .high) {
      estimate.placement = Placement(
        below: low > 0 ? max(0, log(value / low)) : .infinity, above: max(0, log(high / value)))
    }
    return estimate
  }

  /// The logarithm of the mean, with the standard error of the delta method. The error is at least that of a mean known
  /// to one bin's width if all values are nearly equal. Nil below two effective values, and for a mean of zero.
  public static func mean(of reader: HistogramReader, effect: DesignEffect) -> Self? {
    guard effect.nEffective >= 2, let mean = reader.mean, mean > 0, let variance = reader.variance else { return nil }
    let step = reader.meanStep / boundWidth
    var estimate = Self(
      value: log(mean), variance: max(variance / effect.nEffective, step * step) / (mean * mean),
      freedom: min(effect.freedom, effect.nEffective - 1))
    let placement = reader.meanPlacement
    estimate.placement = Placement(
      below: placement.below < mean ? -log1p(-placement.below / mean) : .infinity, above: log1p(placement.above / mean))
    return estimate
  }

  /// The probability beyond each of the bounds from which a standard error is computed.
  public static let boundTail = 0.025
  static let boundWidth = 1.959_963_984_540_054

  /// The variance added by a value's unknown position in its bin, on the log scale.
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
  /// The logarithm of a percentile of all parts. Each part counts by its weight, so that two releases are compared on
  /// the same days and devices. Nil if there are too few values.
  ///
  /// Direct standardisation: F is the weighted mean of the parts' distributions. Its variance is at most that of
  /// 1/Σ(w²/n) independent values, where n is a part's effective sample size.
  public static func quantile(_ p: Double, of parts: [SamplePart], weights: [Double]) -> Self? {
    guard let standard = StandardWeights(parts, weights) else { return nil }
    if parts.count == 1 { return quantile(p, of: parts[0].reader, effect: parts[0].effect) }
    let whole = standard.merged
    let n = Double(whole.count)
    let effect = DesignEffect(
      value: n * standard.variance { _ in 1 }, of: n, isClustered: true, freedom: standard.freedom)
    return quantile(p, of: HistogramReader(whole), effect: effect)
  }

  /// The logarithm of the weighted mean of the parts' means. Each part counts by its weight. Nil if there are too few
  /// values.
  public static func mean(of parts: [SamplePart], weights: [Double]) -> Self? {
    guard let standard = StandardWeights(parts, weights) else { return nil }
    if parts.count == 1 { return mean(of: parts[0].reader, effect: parts[0].effect) }
    let used = zip(parts, standard.shares).filter { $1 > 0 }
    let mean = used.reduce(0) { $0 + $1.1 * ($1.0.reader.mean ?? 0) }
    guard mean > 0, 1 / standard.variance({ _ in 1 }) >= 2 else { return nil }
    let step = used.reduce(0) { $0 + $1.1 * $1.0.reader.meanStep } / boundWidth
    let sampled = standard.variance { $0.reader.variance ?? 0 }
    var estimate = Self(
      value: log(mean), variance: max(sampled, step * step) / (mean * mean), freedom: standard.freedom)
    let below = used.reduce(0) { $0 + $1.1 * $1.0.reader.meanPlacement.below }
    let above = used.reduce(0) { $0 + $1.1 * $1.0.reader.meanPlacement.above }
    estimate.placement = Placement(
      below: below < mean ? -log1p(-below / mean) : .infinity, above: log1p(above / mean))
    return estimate
  }
}

/// The weights of parts as shares of their total, and the variance of their weighted mean.
struct StandardWeights {
  let shares: [Double]
  let parts: [SamplePart]

  init?(_ parts: [SamplePart], _ weights: [Double]) {
    let weights = zip(parts, weights).map { $0.effect.nEffective > 0 && $1 > 0 ? $1 : 0 }
    let total = weights.reduce(0, +)
    guard total > 0, total < .infinity else { return nil }
    self.parts = parts
    shares = weights.map { $0 / total }
  }

  /// The values of all parts, each part with its share of a total of `scale`.
  var merged: Histogram {
    let used = zip(parts, shares).filter { $1 > 0 }
    var whole = Histogram(scheme: used.first?.0.reader.histogram.scheme ?? .logarithmic)
    for (part, share) in used {
      whole.merge(part.reader.histogram.scaled(by: share * Self.scale / Double(part.reader.count)))
    }
    return whole
  }

  /// The total count to which weighted parts are scaled. It is so large that rounding each count to a whole number does
  /// not move a percentile.
  private static let scale = 1e9

  /// The variance of the weighted mean: Σ share²·variance/n over the parts. `own` returns the variance of single values
  /// in a part.
  func variance(_ own: (SamplePart) -> Double) -> Double {
    zip(parts, shares).reduce(0) { sum, part in
      part.1 > 0 ? sum + part.1 * part.1 * own(part.0) / part.0.effect.nEffective : sum
    }
  }

  /// The degrees of freedom of the weighted mean's variance (Satterthwaite). The parts of one device class count
  /// together, because they come from the same phones.
  var freedom: Double {
    var classes: [Int: (variance: Double, freedom: Double)] = [:]
    for (part, share) in zip(parts, shares) where share > 0 {
      let known = classes[part.deviceClass, default: (0, part.effect.freedom)]
      classes[part.deviceClass] = (
        known.variance + share * share / part.effect.nEffective, min(known.freedom, part.effect.freedom)
      )
    }
    // Sorted, because a sum of doubles depends on the order.
    let known = classes.sorted { $0.key < $1.key }.map(\.value)
    let total = known.reduce(0) { $0 + $1.variance }
    let spread = known.reduce(0) { $0 + $1.variance * $1.variance / max(1, $1.freedom) }
    return spread > 0 ? total * total / spread : .infinity
  }
}

extension Histogram {
  /// The histogram with every count multiplied by a factor and rounded. Sums and moments are omitted, because only
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

/// The difference between two releases, with its confidence interval and p-value.
public struct Difference: Sendable, Equatable {
  /// The difference, head minus base: of logarithms for percentiles and means, otherwise of the values themselves.
  public var value: Double
  public var low: Double
  public var high: Double
  /// The two-sided p-value: the probability that chance alone causes at least such a difference.
  public var pValue: Double
  /// The part of the difference's squared standard error that comes from the older release, the base.
  public var baseVariance: Double
  /// The part of the difference's squared standard error that comes from the newer release, the head.
  public var headVariance: Double
  /// The parts of the distances from `value` to `low` and `high` that come from the width of buckets. No number of
  /// events reduces them.
  public var placement = ComparableEstimate.Placement()
  /// The number of strata with data of both releases.
  public var strata: Int

  init(
    value: Double, low: Double, high: Double, pValue: Double, baseVariance: Double, headVariance: Double, strata: Int
  ) {
    self.value = value
    self.low = low
    self.high = high
    self.pValue = pValue
    self.baseVariance = baseVariance
    self.headVariance = headVariance
    self.strata = strata
  }

  /// Whether the difference's whole interval is within `margin` of zero.
  public func lies(within margin: Double) -> Bool { lies(within: -margin...margin) }

  /// Whether the difference's whole interval is within a range.
  public func lies(within range: ClosedRange<Double>) -> Bool { low >= range.lowerBound && high <= range.upperBound }
}

/// The values of both releases in one stratum, such as a device class.
public struct Stratum<Value: Sendable>: Sendable {
  var base: Value
  var head: Value
  /// The stratum's weight in averages over strata, the same for both releases.
  var weight: Double

  /// Creates a stratum. `baseSize` and `headSize` are effective sample sizes: the weight ab/(a+b) is close to the
  /// inverse of the difference's variance. For shares, Mantel and Haenszel (1959) and Cochran (1954) use the same
  /// weight.
  public init(base: Value, head: Value, baseSize: Double, headSize: Double) {
    self.base = base
    self.head = head
    let sum = baseSize + headSize
    weight = sum > 0 && sum < .infinity ? baseSize * headSize / sum : 0
  }

  public init(base: Value, head: Value, weight: Double) {
    self.base = base
    self.head = head
    self.weight = weight
  }
}

extension Difference {
  /// The difference of the complements: good shares instead of bad ones.
  public var negated: Difference {
    var copy = self
    (copy.value, copy.low, copy.high) = (-value, -high, -low)
    return copy
  }
}

extension Difference {
  /// The difference within strata, averaged with their weights. Nil without a stratum.
  ///
  /// The bounds are recovered from those of the two sides (G. Zou, A. Donner, "Construction of confidence limits about
  /// effect measures", 2008), so that they are never narrower than each side allows. They use Student's t with
  /// Satterthwaite's degrees of freedom (1946), since the variances are also estimated. The distance by which buckets
  /// can move either side is added.
  ///
  /// - Parameter sharesBuckets: whether both releases have the same buckets. Their values are then spread over a bucket
  ///   in the same way, so that only both together can lie at its edge.
  public static func of(
    _ strata: [Stratum<ComparableEstimate>], sharesBuckets: Bool = false, tail: Double = 0.025
  ) -> Difference? {
    let total = strata.reduce(0) { $0 + $1.weight }
    guard total > 0, Interval.isTail(tail) else { return nil }
    var (value, base, head, spread) = (0.0, (below: 0.0, above: 0.0), (below: 0.0, above: 0.0), 0.0)
    var placement = ComparableEstimate.Placement()
    for stratum in strata {
      let weight = stratum.weight / total
      value += weight * (stratum.head.value - stratum.base.value)
      let own = stratum.placement(sharesBuckets: sharesBuckets)
      placement.below += weight * own.below
      placement.above += weight * own.above
      base = (base.below + weight * weight * stratum.base.below, base.above + weight * weight * stratum.base.above)
      head = (head.below + weight * weight * stratum.head.below, head.above + weight * weight * stratum.head.above)
      for estimate in [stratum.base, stratum.head] {
        let variance = weight * weight * (estimate.below + estimate.above) / 2
        spread += variance * variance / max(1, estimate.freedom)
      }
    }
    let (below, above) = (head.below + base.above, head.above + base.below)
    guard below + above > 0, value.isFinite, below.isFinite, above.isFinite else { return nil }
    let middle = (below + above) / 2
    let freedom = spread > 0 ? max(1, middle * middle / spread) : .infinity
    let t = SpecialFunctions.studentTQuantile(1 - tail, min(freedom, 1e9))
    // The bound on the side of zero decides whether the difference is significant.
    let error = (value > 0 ? below : above).squareRoot()
    let distance = max(0, abs(value) - (value > 0 ? placement.below : placement.above))
    var difference = Difference(
      value: value, low: value - t * below.squareRoot() - placement.below,
      high: value + t * above.squareRoot() + placement.above,
      pValue: distance > 0 && error > 0 ? SpecialFunctions.studentTTwoSided(distance / error, min(freedom, 1e9)) : 1,
      baseVariance: (base.below + base.above) / 2, headVariance: (head.below + head.above) / 2, strata: strata.count)
    difference.placement = placement
    return difference
  }
}

extension Stratum<ComparableEstimate> {
  /// How far the difference can move down or up with the positions of values in their buckets.
  fileprivate func placement(sharesBuckets: Bool) -> ComparableEstimate.Placement {
    let (ours, theirs) = (base.placement, head.placement)
    guard sharesBuckets, [ours.below, ours.above, theirs.below, theirs.above].allSatisfy(\.isFinite) else {
      return .init(below: theirs.below + ours.above, above: theirs.above + ours.below)
    }
    let (atLow, atHigh) = (ours.below - theirs.below, theirs.above - ours.above)
    return .init(below: max(0, -atLow, -atHigh), above: max(0, atLow, atHigh))
  }
}

/// A test of whether strata differ by more than chance: Cochran's Q of their differences.
///
/// W. Cochran, "The combination of estimates from different experiments" (1954).
public enum Heterogeneity {
  /// The p-value for equal differences in all strata; 1 with fewer than two strata.
  public static func pValue(_ differences: [Difference]) -> Double {
    let known = differences.compactMap { difference -> (value: Double, weight: Double)? in
      let variance = difference.baseVariance + difference.headVariance
      return variance > 0 && variance < .infinity ? (difference.value, 1 / variance) : nil
    }
    let total = known.reduce(0) { $0 + $1.weight }
    guard known.count > 1, total > 0 else { return 1 }
    let mean = known.reduce(0) { $0 + $1.weight * $1.value } / total
    let q = known.reduce(0) { $0 + $1.weight * ($1.value - mean) * ($1.value - mean) }
    let freedom = Double(known.count - 1)
    // χ² is F with infinitely many degrees of freedom in the denominator.
    return SpecialFunctions.fDistributionUpperTail(q / freedom, freedom, 1e9)
  }
}

extension SpecialFunctions {
  /// The two-sided tail P(|T| ≥ |t|) of Student's distribution.
  static func studentTTwoSided(_ t: Double, _ freedom: Double) -> Double {
    fDistributionUpperTail(t * t, 1, freedom)
  }
}

extension SampleSize {
  /// The factor by which the head's events must grow until the interval of a difference is conclusive, if the
  /// difference stays the same. Conclusive means that the interval is within `margin` of zero or excludes zero. Nil if
  /// the base's variance alone is too large for either.
  ///
  /// - Parameter reach: half the width of the interval, in standard errors.
  public static func growth(of difference: Difference, margin: Double, reach: Double) -> Double? {
    let size = abs(difference.value)
    let wanted = max(size, margin - size) / reach
    let left = wanted * wanted - difference.baseVariance
    guard left > 0, difference.headVariance > 0 else { return nil }
    return max(1, difference.headVariance / left)
  }
}

/// The choice of hypotheses to reject so that at most a share of `rate` of them is expected to be false.
///
/// Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate" (1995). If nothing differs at all, the
/// probability of any rejection is at most `rate`.
public enum FalseDiscovery {
  /// Whether each hypothesis is rejected. A nil p-value stands for no hypothesis and is never rejected.
  public static func rejected(_ pValues: [Double?], rate: Double) -> [Bool] {
    let known = pValues.compactMap { $0 }.filter { $0 >= 0 && $0 <= 1 }.sorted()
    let count = Double(known.count)
    let last = known.enumerated().last { $0.element <= rate * Double($0.offset + 1) / count }
    guard let limit = last?.element else { return pValues.map { _ in false } }
    return pValues.map { $0.map { $0 <= limit } ?? false }
  }
}

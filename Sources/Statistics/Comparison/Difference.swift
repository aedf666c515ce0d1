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

extension Difference {
  /// The difference of the complements: good shares instead of bad ones.
  public var negated: Difference {
    var copy = self
    (copy.value, copy.low, copy.high) = (-value, -high, -low)
    return copy
  }
}

extension Difference {
  /// The difference with the p-value of a test, and with an interval that excludes zero if and only if that p-value is
  /// below 5 %. Where it did not, the bound on the side of zero becomes that of a normal variable with this p-value
  /// (O. Miettinen's test-based interval, 1976). A test with a difference in the other direction gives a p-value of 1.
  public func tested(by test: PercentileTest) -> Difference {
    var copy = self
    copy.pValue = value != 0 && test.isMore == (value > 0) ? test.pValue : 1
    let isSignificant = copy.pValue < 2 * Self.tail
    guard isSignificant == (low <= 0 && high >= 0), value != 0 else { return copy }
    let z = -SpecialFunctions.normalQuantile(copy.pValue / 2)
    let bound = value * (z > 0 ? max(-1, 1 + SpecialFunctions.normalQuantile(Self.tail) / z) : -1)
    if value > 0 { copy.low = bound } else { copy.high = bound }
    return copy
  }

  /// The probability beyond each bound of an interval of 95 %.
  private static let tail = 0.025
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

extension SpecialFunctions {
  /// The two-sided tail P(|T| ≥ |t|) of Student's distribution.
  static func studentTTwoSided(_ t: Double, _ freedom: Double) -> Double {
    fDistributionUpperTail(t * t, 1, freedom)
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

/// How far a release lies from another, with what chance alone could make of it.
public struct Difference: Sendable, Equatable {
  /// Head minus base: of logarithms for percentiles and means, else of the numbers themselves.
  public var value: Double
  public var low: Double
  public var high: Double
  /// How often chance alone would show at least so much, two-sided.
  public var pValue: Double
  /// What the base adds to the squared standard error.
  public var baseVariance: Double
  /// What the head adds to it.
  public var headVariance: Double
  /// How many strata both releases were measured in.
  public var strata: Int

  public init(
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

  /// Whether the truth lies within `margin` of no difference.
  public func lies(within margin: Double) -> Bool { lies(within: -margin...margin) }

  /// Whether the truth lies in a range of differences.
  public func lies(within range: ClosedRange<Double>) -> Bool { low >= range.lowerBound && high <= range.upperBound }
}

/// One class of devices, measured on both releases.
public struct Stratum<Value: Sendable>: Sendable {
  public var base: Value
  public var head: Value
  /// How much it counts, the same for both releases.
  public var weight: Double

  /// `baseSize` and `headSize` are effective samples: the weight ab/(a+b) is close to the inverse of the variance of the
  /// difference, and is that of Mantel and Haenszel (1959) and of Cochran (1954) for shares.
  public init(base: Value, head: Value, baseSize: Double, headSize: Double) {
    self.base = base
    self.head = head
    let sum = baseSize + headSize
    weight = sum > 0 && sum < .infinity ? baseSize * headSize / sum : 0
  }
}

extension Difference {
  /// Of what is left to the whole: of good shares instead of bad ones.
  public var negated: Difference {
    var copy = self
    (copy.value, copy.low, copy.high) = (-value, -high, -low)
    return copy
  }
}

extension Difference {
  /// The difference within strata, averaged with their weights. Nil without a stratum.
  ///
  /// Student's t with Satterthwaite's degrees of freedom (1946), since the variances are estimated too. Differences that do
  /// not vary at all say nothing, unless they are zero.
  public static func of(_ strata: [Stratum<ComparableEstimate>], tail: Double = 0.025) -> Difference? {
    let total = strata.reduce(0) { $0 + $1.weight }
    guard total > 0, Interval.isTail(tail) else { return nil }
    var (value, base, head, spread) = (0.0, 0.0, 0.0, 0.0)
    for stratum in strata {
      let weight = stratum.weight / total
      value += weight * (stratum.head.value - stratum.base.value)
      for (estimate, isHead) in [(stratum.base, false), (stratum.head, true)] {
        let variance = weight * weight * estimate.variance
        if isHead { head += variance } else { base += variance }
        spread += variance * variance / max(1, estimate.freedom)
      }
    }
    let variance = base + head
    guard variance > 0 || value == 0, value.isFinite, variance.isFinite else { return nil }
    let freedom = spread > 0 ? max(1, variance * variance / spread) : 1
    let error = variance.squareRoot()
    let reach = variance > 0 ? SpecialFunctions.studentTQuantile(1 - tail, freedom) * error : 0
    return Difference(
      value: value, low: value - reach, high: value + reach,
      pValue: variance > 0 ? SpecialFunctions.studentTTwoSided(value / error, freedom) : 1, baseVariance: base,
      headVariance: head, strata: strata.count)
  }
}

extension SpecialFunctions {
  /// P(|T| ≥ |t|) of Student's distribution.
  static func studentTTwoSided(_ t: Double, _ freedom: Double) -> Double {
    fDistributionUpperTail(t * t, 1, freedom)
  }
}

extension SampleSize {
  /// How many times the head's events it takes until the interval of a difference tells, if it stays where it is: it must
  /// reach no farther than `margin` on either side of zero, or not reach zero. Nil when the base alone leaves too much
  /// open.
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

/// Which of many hypotheses to reject, so that of those rejected about a share of `rate` are false at the most.
///
/// Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate" (1995). When nothing differs at all, any rejection
/// happens with a probability of `rate` at the most.
public enum FalseDiscovery {
  /// True where the p-value is small enough among all of them; a nil is no hypothesis and is never rejected.
  public static func rejected(_ pValues: [Double?], rate: Double) -> [Bool] {
    let known = pValues.compactMap { $0 }.filter { $0 >= 0 && $0 <= 1 }.sorted()
    let count = Double(known.count)
    let last = known.enumerated().last { $0.element <= rate * Double($0.offset + 1) / count }
    guard let limit = last?.element else { return pValues.map { _ in false } }
    return pValues.map { $0.map { $0 <= limit } ?? false }
  }
}

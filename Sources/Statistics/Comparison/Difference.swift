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

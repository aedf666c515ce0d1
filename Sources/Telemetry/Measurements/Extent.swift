/// The exact sum and ends of bucketed values, in the metric's canonical unit.
public struct Extent: Sendable, Hashable {
  public var sum: Double
  /// The smallest value; nil when it is not known.
  public var minimum: Double?
  /// The largest value; nil when it is not known.
  public var maximum: Double?
  /// What no value lies below, where the smallest itself is not known.
  public var lowerBound: Double?
  /// What no value lies above, where the largest itself is not known.
  public var upperBound: Double?

  public init(sum: Double, minimum: Double? = nil, maximum: Double? = nil) {
    self.sum = sum
    self.minimum = minimum
    self.maximum = maximum
  }

  /// What is known of the values that came since an earlier extent of the same stream; nil when their sum is not. An end
  /// that moved is one of theirs; one that did not move only bounds them.
  public func increase(since earlier: Extent?) -> Extent? {
    guard let earlier, sum >= earlier.sum else { return nil }
    var increase = Extent(sum: sum - earlier.sum)
    if minimum == earlier.minimum { increase.lowerBound = minimum } else { increase.minimum = minimum }
    if maximum == earlier.maximum { increase.upperBound = maximum } else { increase.maximum = maximum }
    return increase
  }
}

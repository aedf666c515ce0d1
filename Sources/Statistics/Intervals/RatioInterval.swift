/// The estimated ratio of two rates with its interval. A nil member is unknown.
public struct RatioInterval: Sendable, Equatable {
  public var value: Double?
  public var low: Double?
  public var high: Double?

  public init(value: Double? = nil, low: Double? = nil, high: Double? = nil) {
    (self.value, self.low, self.high) = (value, low, high)
  }

  /// The smallest interval that contains both. The value is that of `self`.
  public func union(_ other: RatioInterval) -> RatioInterval {
    func bound(_ one: Double?, _ two: Double?, _ choose: (Double, Double) -> Double) -> Double? {
      guard let one, let two else { return nil }
      return choose(one, two)
    }
    return RatioInterval(
      value: value ?? other.value, low: bound(low, other.low, min), high: bound(high, other.high, max))
  }
}

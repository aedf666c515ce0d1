/// A number with its confidence interval. Unknown values are nil.
public struct Estimate: Sendable, Equatable {
  public var value: Double?
  public var low: Double?
  public var high: Double?
  /// Whether the value is only a lower bound: it is in a bucket without an upper edge, or includes hangs that count as
  /// 9 s but may have been longer.
  var isAtLeast: Bool

  public init(value: Double? = nil, low: Double? = nil, high: Double? = nil, isAtLeast: Bool = false) {
    self.value = value
    self.low = low
    self.high = high
    self.isAtLeast = isAtLeast
  }

  /// An unknown number: no value and no interval.
  public static let unknown = Estimate()
}

/// A share, 0 to 1, with its confidence interval.
public struct RatioEstimate: Sendable, Equatable {
  public var estimate: Estimate
  /// The denominator: the number of sessions, users or user-days.
  public var n: Int
  /// The effective sample size: the size of an independent sample with the same precision. Nil if `n` is 0.
  var nEffective: Double?
  var basis: Basis

  public init(estimate: Estimate = .unknown, n: Int = 0, nEffective: Double? = nil, basis: Basis = .events) {
    self.estimate = estimate
    self.n = n
    self.nEffective = nEffective
    self.basis = basis
  }
}

/// The unit that an interval treats as statistically independent.
public enum Basis: String, Sendable, CaseIterable {
  /// Groups of events: user-days or payloads. Events of one device are correlated, so only groups count as independent.
  case clusters
  /// Single events, because fewer than ten user-days or payloads are known. The value has no interval and no verdict.
  case events
}

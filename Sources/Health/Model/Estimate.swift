/// A number and the interval that holds the truth with the stated confidence. What cannot be known is nil.
public struct Estimate: Sendable, Equatable {
  public var value: Double?
  public var low: Double?
  public var high: Double?
  /// The value is a lower end: it lies in a bucket without an upper edge, or counts hangs beyond 9 s from there.
  public var isAtLeast: Bool

  public init(value: Double? = nil, low: Double? = nil, high: Double? = nil, isAtLeast: Bool = false) {
    self.value = value
    self.low = low
    self.high = high
    self.isAtLeast = isAtLeast
  }

  /// Nothing is known.
  public static let unknown = Estimate()
}

/// A share of `n`, 0 to 1, with its interval.
public struct RatioEstimate: Sendable, Equatable {
  public var estimate: Estimate
  /// What was counted: sessions, users, user-days.
  public var n: Int
  /// The size of an independent sample that would say as much; nil when n is 0.
  public var nEffective: Double?
  public var basis: Basis

  public init(estimate: Estimate = .unknown, n: Int = 0, nEffective: Double? = nil, basis: Basis = .events) {
    self.estimate = estimate
    self.n = n
    self.nEffective = nEffective
    self.basis = basis
  }
}

/// What an interval treats as independent.
public enum Basis: String, Sendable {
  /// User-days or payloads: launches of one phone are alike.
  case clusters
  /// Single events, because fewer than ten clusters are known. Such a verdict is shown and never sends an alert.
  case events
}

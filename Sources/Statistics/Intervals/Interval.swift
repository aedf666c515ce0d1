/// Bounds that hold the truth. `tail` is the probability left outside on each side: 0.025 for a two-sided 95 % interval,
/// 0.05 for one-sided 95 % bounds, 0.001 for incidents. A bound that does not exist is nil.
public enum Interval {
  /// Whether a tail makes sense: above 0, at most one half.
  static func isTail(_ tail: Double) -> Bool { tail > 0 && tail <= 0.5 }
}

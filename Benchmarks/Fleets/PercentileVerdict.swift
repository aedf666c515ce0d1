import Foundation
public import Statistics

/// Whether a percentile is called broken, as the verdict does it: the lower bound lies in a bin above the budget's, and
/// there are at least three bad events.
public struct PercentileVerdict: Sendable {
  public let p: Double
  /// The budget: exactly the true percentile of every `LaunchFleet`.
  public let target: Double

  /// `normal` is the standard normal quantile of `p`.
  public init(p: Double, normal: Double) {
    self.p = p
    target = LaunchFleet.median * exp(LaunchFleet.deviation * normal) * (1 - 1e-9)
  }

  public static let all = [
    PercentileVerdict(p: 0.5, normal: 0), PercentileVerdict(p: 0.9, normal: 1.281_551_565_544_6),
    PercentileVerdict(p: 0.95, normal: 1.644_853_626_951_5),
  ]

  public func isBroken(_ reader: HistogramReader, _ effect: DesignEffect, tail: Double = 0.05) -> Bool {
    guard Double(reader.count) - reader.count(atMost: target).low >= 3,
      let low = Interval.quantile(p, of: reader, effect: effect, tail: tail).low
    else { return false }
    let scheme = reader.histogram.scheme
    return scheme.index(of: low) > scheme.index(of: target)
  }
}

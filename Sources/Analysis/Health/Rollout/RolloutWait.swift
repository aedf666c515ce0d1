import Core
import Statistics

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The number of days until a vital that is no worse will have excluded that it is twice as bad, at today's use.
public struct RolloutWait: Sendable, Equatable {
  public var likely: Int
  /// The bounds of the 80 % interval.
  public var low: Int
  public var high: Int

  /// The number of days beyond which only "more than" is said.
  package static let longest = 60

  /// - Parameters:
  ///   - evidence: the evidence so far, as an e-value against twice as many events.
  ///   - limit: the e-value that excludes it.
  ///   - events: the number of independent events that the head has in a day if it is no worse.
  init?(evidence: Double, limit: Double, events: Double) {
    let missing = log(limit) - log(max(evidence, .leastNormalMagnitude)) + Self.mixtureCost
    guard missing > 0, events > 0, missing.isFinite else { return nil }
    // Each expected event adds 1 − ln 2 on average, with a variance of (ln 2)². The time until their sum first reaches
    // the missing evidence is inverse Gaussian.
    let (drift, spread) = (1 - log(2.0), log(2.0))
    let mean = missing / drift
    let shape = missing * missing / (spread * spread)
    func days(_ probability: Double) -> Int {
      let events = Self.inverseGaussian(probability, mean: mean, shape: shape) / events
      return events < 1e6 ? max(1, Int(events.rounded(.up))) : 1_000_000
    }
    (likely, low, high) = (days(0.5), days(0.1), days(0.9))
  }

  /// How much less the mixture over ratios gains than the true ratio alone, as a logarithm.
  private static let mixtureCost = 1.5

  /// The quantile of an inverse Gaussian variable, by bisection of its distribution function.
  private static func inverseGaussian(_ probability: Double, mean: Double, shape: Double) -> Double {
    func normal(_ z: Double) -> Double { erfc(-z / 2.0.squareRoot()) / 2 }
    func below(_ x: Double) -> Double {
      let root = (shape / x).squareRoot()
      return normal(root * (x / mean - 1)) + exp(min(2 * shape / mean, 700)) * normal(-root * (x / mean + 1))
    }
    var (low, high) = (0.0, mean * 64)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if below(middle) < probability { low = middle } else { high = middle }
    }
    return high
  }
}

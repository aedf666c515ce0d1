#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The likelihood of each ratio of two rates of events, head to base, given all counts so far. It yields e-values and
/// an interval that are valid however often they are looked at.
///
/// An e-value has an expectation of at most 1 if its hypothesis is true, at every look. By Ville's inequality it
/// therefore exceeds 20 at any time with a probability of at most 5 %. The e-value of "the ratio is at most R" is the
/// likelihood of larger ratios relative to that of R, averaged with weights that are log-normal in the ratio to R:
/// median 2, deviation 0.8 (M. Lindon and A. Malek, arXiv:2011.03567; R. Turner and P. Grünwald, arXiv:2302.11401).
///
/// Counts of correlated events are divided by their design effect. That raises the likelihood ratio to a power below
/// one, whose expectation is smaller still (Jensen).
public struct RatioEvidence: Sendable, Equatable {
  /// The log-likelihoods of `ratios`, up to a common constant.
  private var logs = [Double](repeating: 0, count: Self.ratios.count)
  /// Whether any events were added.
  public private(set) var isEmpty = true

  /// The candidate ratios: 16 per doubling, from a sixteenth to sixteen.
  private static let ratios = (-64...64).map { exp2(Double($0) / 16) }
  private static let logRatios = ratios.map { log($0) }

  /// Creates evidence without counts: every e-value is 1.
  public init() {}

  /// Adds an interval in which both releases were in use, so that whatever happened in it affected both.
  ///
  /// Given the number of events in the interval, the number in the head is binomial: each event belongs to the head
  /// with probability rθ ÷ (rθ + 1 − θ), where θ is the head's share of the use.
  ///
  /// - Parameter head: events and use (sessions, hours or launches), both divided by the design effect.
  public mutating func addSameInterval(head: EventCount, base: EventCount) {
    guard head.use > 0, base.use > 0, head.events + base.events > 0 else { return }
    isEmpty = false
    for index in logs.indices {
      let whole = Self.ratios[index] * head.use + base.use
      logs[index] += head.events * Self.logRatios[index] - (head.events + base.events) * log(whole)
    }
  }

  /// Adds events of the head for which the base's rate is known from an earlier time, such as its own first days.
  ///
  /// The base's rate has the distribution that its counts leave for it: Gamma with `events + ½` and `use` (Jeffreys).
  /// The number of the head's events is then negative binomial. A short history leaves the rate open, so that the head
  /// must differ more.
  public mutating func addEarlierBase(head: EventCount, base: EventCount) {
    guard head.use > 0, base.use > 0 else { return }
    isEmpty = false
    let all = head.events + base.events + 0.5
    for index in logs.indices {
      logs[index] += head.events * Self.logRatios[index] - all * log(Self.ratios[index] * head.use + base.use)
    }
  }

  /// Adds the counts of other evidence about the same ratio.
  public mutating func merge(_ other: RatioEvidence) {
    isEmpty = isEmpty && other.isEmpty
    for index in logs.indices { logs[index] += other.logs[index] }
  }
}

extension RatioEvidence {
  /// The e-value of the hypothesis that the ratio is at most `limit`: large if the head has more events.
  public func against(atMost limit: Double = 1) -> Double { eValue(limit, sign: 1) }

  /// The e-value of the hypothesis that the ratio is at least `limit`: large if the head has fewer events.
  public func against(atLeast limit: Double) -> Double { eValue(limit, sign: -1) }

  private func eValue(_ limit: Double, sign: Double) -> Double {
    guard !isEmpty, limit > 0 else { return 1 }
    let zero = Self.index(of: limit)
    let start = logs[zero]
    var (sum, weights) = (0.0, 0.0)
    for index in logs.indices {
      let distance = sign * (Self.logRatios[index] - Self.logRatios[zero])
      guard distance > 0 else { continue }
      let z = (distance - Self.median) / Self.deviation
      let weight = exp(-z * z / 2)
      weights += weight
      sum += weight * exp(min(logs[index] - start, 700))
    }
    return weights > 0 ? sum / weights : 1
  }

  /// The first index for which a condition holds, if it holds for all after it; the end of the range if for none.
  private static func first(in range: Range<Int>, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private static let median = log(2.0)
  private static let deviation = 0.8

  private static func index(of ratio: Double) -> Int {
    min(max(Int((log2(ratio) * 16).rounded()) + 64, 0), ratios.count - 1)
  }

  /// The ratios that are not refuted at `alpha`, and the most likely one. The interval contains the true ratio at every
  /// look with a probability of at least 1 − α. A bound is nil if it is beyond the candidates.
  public func interval(alpha: Double) -> RatioInterval {
    guard !isEmpty else { return RatioInterval() }
    let likely = logs.indices.max { logs[$0] < logs[$1] } ?? 0
    let limit = 2 / alpha
    let low = Self.first(in: 0..<likely) { eValue(Self.ratios[$0], sign: 1) < limit }
    let high = Self.first(in: likely + 1..<logs.count) { eValue(Self.ratios[$0], sign: -1) >= limit } - 1
    let ends = logs.count - 1
    return RatioInterval(
      value: likely > 0 && likely < ends ? Self.ratios[likely] : nil, low: low > 0 ? Self.ratios[low] : nil,
      high: high < ends ? Self.ratios[high] : nil)
  }
}

public import Core
import Statistics

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The number of days until a vital that is no worse will have excluded that it is twice as bad.
public struct RolloutTimeToDecision: Sendable, Equatable {
  public var likely: Int
  /// The bounds of the 80 % interval.
  public var low: Int
  public var high: Int
  /// The likely day.
  public var day: CalendarDay
  /// The share of the release on that day if the rollout follows the plan of a phased release; nil if it does not.
  public var adoption: Double?

  /// The number of days beyond which only "more than" is said.
  package static let longest = 60

  /// One comparison's way to the evidence that it needs.
  struct Path {
    /// The evidence that is missing, as a logarithm.
    var missing: Double
    /// The estimated ratio of events.
    var ratio: Double
    /// The expected gain of each coming day, and its variance, if the ratio is this one.
    var gains: (_ ratio: Double) -> [(drift: Double, variance: Double)]
  }

  /// The time until all comparisons have the evidence that they need; nil if they have it.
  ///
  /// - Parameters:
  ///   - uncertainty: the squared relative error of the expected gains.
  ///   - last: the last day with data.
  ///   - adoption: the planned share on each coming day.
  init?(_ paths: [Path], uncertainty: Double, after last: CalendarDay, adoption: [Double]?) {
    let open = paths.filter { $0.missing > 0 && $0.missing.isFinite }
    guard !open.isEmpty else { return nil }
    func days(_ probability: Double) -> Int {
      open.map { Self.days($0, uncertainty, probability) }.max() ?? 1
    }
    (likely, low, high) = (days(0.5), days(Self.earliest), days(Self.latest))
    day = last + likely
    self.adoption = adoption.flatMap { $0.indices.contains(likely - 1) ? $0[likely - 1] : nil }
  }

  /// The number of days after which the evidence is complete with a probability.
  ///
  /// The sum of gains is a random walk. Measured by its expected gain, the time until it first reaches the missing
  /// evidence is inverse Gaussian. Other days or users can make a release look worse that is not. So the latest time is
  /// for the estimated ratio if that is larger than 1, and the earliest one if it is smaller.
  private static func days(_ path: Path, _ uncertainty: Double, _ probability: Double) -> Int {
    let estimate = min(max(path.ratio, 0.5), 1.7)
    let gains = path.gains(probability < 0.5 ? min(1, estimate) : probability > 0.5 ? max(1, estimate) : 1)
    let all = gains.reduce((0.0, 0.0)) { ($0.0 + $1.drift, $0.1 + $1.variance) }
    guard all.0 > 0 else { return longest + 1 }
    let missing = path.missing + mixtureCost * (probability - earliest) / (latest - earliest)
    let spread = all.1 / all.0 + missing * uncertainty
    let needed = inverseGaussian(probability, mean: missing, shape: missing * missing / spread)
    var sum = 0.0
    for (index, gain) in gains.enumerated() {
      sum += gain.drift
      if sum >= needed { return index + 1 }
    }
    return longest + 1
  }

  /// The probabilities of the bounds.
  private static let (earliest, latest) = (0.1, 0.9)
  /// How much less the mixture over ratios gains than the true ratio alone, as a logarithm, if it has gained nothing yet.
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

extension RolloutTest {
  /// The time until the comparisons exclude twice as many events, if the head is no worse and its share grows as
  /// planned, or stays as it is if it does not follow the plan.
  ///
  /// - Parameter begun: the first day of the rollout.
  func wait(sameDays: RatioEvidence, sameAge: RatioEvidence, begun: CalendarDay) -> RolloutTimeToDecision? {
    guard let now = today else { return nil }
    let total = now.head + now.base
    let plan = Self.plan(share: now.head / total, on: now.day.number - begun.number)
    let shares = plan ?? [Double](repeating: now.head / total, count: RolloutTimeToDecision.longest)
    let events = now.rate * total
    var paths = [
      RolloutTimeToDecision.Path(missing: Self.missing(sameDays), ratio: Self.ratio(sameDays)) { ratio in
        shares.map { Self.gain(events: events, share: $0, ratio) }
      }
    ]
    if !sameAge.isEmpty {
      let matched = matchedUse
      paths.append(
        RolloutTimeToDecision.Path(missing: Self.missing(sameAge), ratio: Self.ratio(sameAge)) { ratio in
          var known = matched.head
          return shares.map { share in
            known += share * total
            return Self.gain(events: events * share, part: known / (known + matched.base), ratio)
          }
        })
    }
    return RolloutTimeToDecision(
      paths, uncertainty: 1 / max(1, now.events) + Self.planError, after: now.day, adoption: plan)
  }

  /// The gain of evidence against "twice as many" by a day with so many events of releases that are alike: the expected
  /// logarithm of the likelihood ratio of two binomials, and its variance.
  ///
  /// - Parameters:
  ///   - share: the head's share of the use.
  ///   - ratio: the ratio of the head's events to the base's, for the same use.
  private static func gain(events: Double, share: Double, _ ratio: Double) -> (drift: Double, variance: Double) {
    guard share > 0, share < 1 else { return (0, 0) }
    let all = 1 - share + ratio * share
    let twice = 1 + share
    let head = ratio * share / all
    let drift = head * log(ratio * twice / (2 * all)) + (1 - head) * log(twice / all)
    let spread = log(2 / ratio)
    return (events * all * drift, events * all * head * (1 - head) * spread * spread)
  }

  /// The gain by so many events of the head, if the rate of the base is known from earlier days: the derivative of the
  /// same logarithm for releases that are alike, less by how much two Poisson variables of another ratio differ less.
  ///
  /// - Parameter part: the head's part of the use of both.
  private static func gain(
    events: Double, part: Double, _ ratio: Double
  ) -> (drift: Double, variance: Double) {
    let drift = log1p(part) + (1 - part) / (1 + part) - log(2.0)
    let less = (ratio * log(ratio / 2) + 2 - ratio) / (1 - log(2.0))
    let spread = log(2 / ratio)
    return (events * max(0, drift) * less, events * ratio * (1 - part) * spread * spread)
  }

  private static func ratio(_ evidence: RatioEvidence) -> Double {
    evidence.interval(alpha: RolloutReport.errorRate).value ?? 1
  }

  private static func missing(_ evidence: RatioEvidence) -> Double {
    let known = evidence.against(atLeast: RolloutVital.excluded)
    return log(2 / RolloutReport.errorRate) - log(max(known, .leastNormalMagnitude))
  }

  /// The shares of the coming days if the release follows a phased release: its share is about the planned one. Of a
  /// lead or lag, half the orders of magnitude stay, because the first days have few users.
  private static func plan(share: Double, on index: Int) -> [Double]? {
    let steps = RolloutReport.phasedRelease
    guard steps.indices.contains(index), steps[index] < 1 else { return nil }
    let lead = share / steps[index]
    let farthest = index < 2 ? 6.0 : 3
    guard lead > 1 / farthest, lead < farthest else { return nil }
    return (1...RolloutTimeToDecision.longest).map {
      min(1, lead.squareRoot() * steps[min(index + $0, steps.count - 1)])
    }
  }

  /// The squared relative error of the planned use: a fifth.
  private static let planError = 0.04
}

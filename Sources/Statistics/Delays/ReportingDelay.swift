/// A share of events that is known so far, and how uncertain that share is.
public struct KnownShare: Sendable, Equatable {
  /// The known share of all events that will become known, above 0 and at most 1.
  public var share: Double
  /// The squared relative standard error of `share`.
  public var variance: Double

  public init(share: Double, variance: Double) {
    self.share = share
    self.variance = variance
  }

  /// Everything is known.
  public static let all = KnownShare(share: 1, variance: 0)
}

/// How much of a day's events is known at an age of the day, learned from other days.
///
/// It is the chain ladder of insurers, or the discrete hazard in reversed time of J. Lawless, "Adjustments for reporting
/// delays and the prediction of occurred but not reported events" (1994): of the events known at the end of a step, the
/// share that became known in this step. Days that are still young contribute the steps that they have completed.
public struct ReportingDelay: Sendable {
  /// The events of one day.
  public struct Day: Sendable {
    /// The number of events that became known in each step.
    public var counts: [Double]
    /// The present age of the day, in hours.
    public var age: Double

    public init(counts: [Double], age: Double) {
      self.counts = counts
      self.age = age
    }
  }

  /// The bounds of the steps in hours, one more than steps.
  private let bounds: [Double]
  /// The share known at each bound.
  private let shares: [Double]
  /// The days on which nearly everything is known: their shares at each bound, and their numbers of events.
  private let complete: [(shares: [Double], events: Double)]

  /// Learns from days; nil with fewer than a week of complete days or fewer than ten events on them.
  ///
  /// - Parameter bounds: the bounds of the steps in hours of a day's age, in ascending order, one more than steps.
  public init?(_ days: [Day], bounds: [Double]) {
    let steps = bounds.count - 1
    guard steps > 0, days.allSatisfy({ $0.counts.count == steps }) else { return nil }
    var (arrived, known) = ([Double](repeating: 0, count: steps), [Double](repeating: 0, count: steps))
    var complete: [(shares: [Double], events: Double)] = []
    for day in days {
      var sum = 0.0
      for step in 0..<steps where bounds[step + 1] <= day.age {
        sum += day.counts[step]
        arrived[step] += day.counts[step]
        known[step] += sum
      }
      guard day.age >= Self.complete, sum > 0 else { continue }
      var running = 0.0
      let shares = day.counts.map { count in
        running += count
        return min(1, running / sum)
      }
      complete.append(([0] + shares, sum))
    }
    guard complete.count >= Self.fewestDays, complete.reduce(0, { $0 + $1.events }) >= Self.fewestEvents else {
      return nil
    }
    var shares = [Double](repeating: 1, count: steps + 1)
    for step in (0..<steps).reversed() {
      shares[step] = shares[step + 1] * (known[step] > 0 ? 1 - arrived[step] / known[step] : 1)
    }
    (self.bounds, self.shares, self.complete) = (bounds, shares, complete)
  }

  /// The share of a day's events that is known when the day has this age in hours.
  public func known(atAge hours: Double) -> KnownShare {
    guard let last = bounds.last, hours < last else { return .all }
    let share = max(Self.smallest, Self.value(of: shares, at: hours, bounds))
    // How much the share differs between days, beyond what the numbers of their events explain.
    var (between, weight) = (0.0, 0.0)
    for day in complete {
      let own = Self.value(of: day.shares, at: hours, bounds) - share
      between += day.events * own * own - share * (1 - share)
      weight += day.events
    }
    let days = Double(complete.count)
    let spread = max(0, between / weight) * (1 + 1 / days)
    return KnownShare(share: share, variance: (spread + share * (1 - share) / weight) / (share * share))
  }

  private static func value(of shares: [Double], at hours: Double, _ bounds: [Double]) -> Double {
    guard let next = bounds.firstIndex(where: { $0 > hours }) else { return shares.last ?? 1 }
    guard next > 0 else { return 0 }
    let part = (hours - bounds[next - 1]) / (bounds[next] - bounds[next - 1])
    return shares[next - 1] + part * (shares[next] - shares[next - 1])
  }

  /// The age in hours from which a day shows what arrives late.
  private static let complete = 168.0
  private static let fewestDays = 7
  private static let fewestEvents = 10.0
  /// A bound of shares near 0, so that one can divide by them.
  private static let smallest = 1e-4
}

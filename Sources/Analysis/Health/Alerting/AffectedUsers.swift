internal import Core
import Statistics
internal import Storage

/// The number of users or payloads with a bad event; a lower bound if it cannot be counted.
struct AffectedUsers {
  /// A lower bound of the number of users or payloads with a bad event.
  var bad: Int
  /// The number of known users or payloads.
  var known: Int

  init(of metric: String, _ measure: Measure, bad events: Double, in series: [Series]) {
    switch measure {
    case .share where metric.hasPrefix("sessions.") || metric.hasPrefix("users."):
      self = Self.users(series) ?? AffectedUsers(bad: Self.whole(events), known: 0)
    case .share(let share): self.init(bad: Self.least(share.sums) ?? Self.whole(events), known: share.clusters)
    case .rate(let rate): self.init(bad: Self.least(rate.sums) ?? 0, known: rate.sums.clusters)
    case .distribution(let distribution):
      // The payload of a bad value is not stored. If values of one payload are correlated, dividing by the design
      // effect reduces their number; if every payload has one value, each value counts.
      let effective = distribution.weight == .deviceDay ? events : events / distribution.effect.value
      self.init(bad: Self.whole(effective), known: distribution.histogram.moments.clusters)
    case .sum(_, let payloads): self.init(bad: payloads, known: payloads)
    }
  }

  private init(bad: Int, known: Int) {
    self.bad = bad
    self.known = known
  }

  /// The whole part of a number of events. It is capped, because the largest integer rounds up when it becomes a
  /// double.
  private static func whole(_ events: Double) -> Int { events > 0 ? Int(min(events, 9e15)) : 0 }

  /// Users who crashed, plus crashed sessions without a known user, each counted as one.
  private static func users(_ series: [Series]) -> AffectedUsers? {
    guard let (tally, _) = Measure.tally(series) else {
      return Measure.union(series).map { AffectedUsers(bad: $0.crashed.estimate, known: $0.all.estimate) }
    }
    let clusters = least(tally.userDays) ?? Int(tally[.crashed])
    let unnamed = max(0, clusters.saturatingAdd(-max(0, Int(tally.crashedUserDays))))
    guard let (all, crashed, _) = Measure.union(series), all.estimate > 0 else {
      return AffectedUsers(bad: clusters, known: tally.userDays.clusters)
    }
    return AffectedUsers(bad: crashed.estimate.saturatingAdd(unnamed), known: all.estimate.saturatingAdd(unnamed))
  }

  /// A lower bound of the number K of clusters with x > 0: (Σx)² ≤ K·Σx² (Cauchy–Schwarz). Nil if all x are 0.
  private static func least(_ sums: RatioMoments) -> Int? {
    guard sums.x > 0, sums.xx > 0 else { return nil }
    let least = (Double(sums.x) * Double(sums.x) / Double(sums.xx) - 1e-9).rounded(.up)
    return whole(least)
  }
}

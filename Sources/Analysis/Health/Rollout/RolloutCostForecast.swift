public import Core
import Foundation
import Statistics
import Storage

/// What a release will cost when most users have it: the crash-free rate of all sessions on a day a week ahead, and how
/// many more users would have a crash on that day than without the release.
public struct RolloutCostForecast: Sendable, Equatable {
  /// The share of the release in the app's use that is assumed.
  public var adoption = Self.adoption
  /// The crash-free share of the sessions of one day, with an interval that contains 95 % of such days.
  public var crashFree: Estimate
  /// The additional users with a crash a day, relative to a day with the base only; negative for fewer. Nil if users are
  /// not known.
  public var moreUsers: Estimate?

  /// The assumed share: most users update within a week, and a fifth much later.
  public static let adoption = 0.8
}

extension RolloutCostForecast {
  /// The forecast from the crashes of both releases; nil without sessions of both in the same days and device classes.
  ///
  /// - Parameters:
  ///   - head: the counts of the release. Sessions right after an update are left out if others are known.
  ///   - base: the counts of the base on the same days.
  ///   - earlier: the counts of the base on all its days.
  ///   - effect: the design effect of crashes.
  ///   - users: the users of both releases on an average day, and the share of the base's users with a crash on a day.
  init?(
    head: RolloutCounts, base: RolloutCounts, earlier: RolloutCounts, effect: Double,
    users: (daily: Double, crashed: Double)?
  ) {
    let ratio = Self.ratio(head: head, base: base, effect: effect)
    guard let ratio, let level = Self.level(earlier, uses: [head, base]) else { return nil }
    let mixture = Self.adoption * ratio.value + 1 - Self.adoption
    let rate = level.rate * mixture
    let part = Self.adoption * ratio.value / mixture
    let daily = [head, base].reduce(0) { $0 + $1.recentUse }
    // The crashes of one day vary by chance even if their rate were known.
    let chance = daily > 0 ? effect / max(1, rate * daily) : 0
    let error = (part * part * ratio.variance + level.variance * effect + level.spread + chance).squareRoot()
    let z = Interval.normalReach(tail: HealthReader.shownTail)
    func share(_ z: Double) -> Double { 1 - min(1, rate * exp(z * error)) }
    crashFree = Estimate(value: share(0), low: share(z), high: share(-z))
    moreUsers = users.map { users in
      func more(_ z: Double) -> Double {
        Self.adoption * (ratio.value * exp(z * ratio.variance.squareRoot()) - 1) * users.crashed * users.daily
      }
      return Estimate(value: more(0), low: more(-z), high: more(z))
    }
  }

  /// The ratio of the release's crashes to the base's for the same use, within days and device classes, with the
  /// variance of its logarithm.
  private static func ratio(
    head: RolloutCounts, base: RolloutCounts, effect: Double
  ) -> (value: Double, variance: Double)? {
    let strata = head.classes.flatMap { name in
      let known = Dictionary(base.days(of: name).map { ($0.day, $0.count) }, uniquingKeysWith: { $1 })
      return head.days(of: name).compactMap { own in known[own.day].map { (head: own.count, base: $0) } }
    }
    return EventCount.ratio(strata).map { ($0.value, $0.variance * effect) }
  }

  /// The base's crashes per session with the present mix of device classes: the rate, the squared relative errors of
  /// its estimate and of single days.
  private static func level(
    _ base: RolloutCounts, uses: [RolloutCounts]
  ) -> (rate: Double, variance: Double, spread: Double)? {
    guard let last = base.days.last else { return nil }
    let window = Window(days: days, endingOn: last)
    let total = base.total(in: window)
    guard total.use > 0, total.events > 0 else { return nil }
    let rate = total.events / total.use
    var (standard, all) = (0.0, 0.0)
    for name in Set(uses.flatMap(\.classes)).sorted() {
      let weight = uses.reduce(0) { $0 + $1.sum(name).use }
      let own = base.total(in: window, of: name)
      // A class with few crashes is taken to be like the others: one crash at the rate of all is added.
      standard += weight * (own.events + 1) / (own.use + 1 / rate)
      all += weight
    }
    guard all > 0 else { return nil }
    // Days vary by more than chance: weekends, outages of a backend.
    var (extra, expected) = (0.0, 0.0)
    let own = base.days.filter { window.from <= $0 }.map { base.total(in: Window(from: $0, to: $0)) }
    for day in own {
      let mean = day.use * rate
      extra += (day.events - mean) * (day.events - mean) - mean
      expected += mean * mean
    }
    let spread = expected > 0 ? max(0, extra / expected) : 0
    let count = Double(max(1, own.count))
    return (standard / all, 1 / total.events, spread * (1 + 1 / count))
  }

  /// The days from which the base's level is taken.
  private static let days = 28
}

extension RolloutCounts {
  /// The events and use of some days, of all device classes or one.
  fileprivate func total(in window: Window, of deviceClass: String? = nil) -> EventCount {
    var sum = EventCount(events: 0, use: 0)
    for name in deviceClass.map({ [$0] }) ?? classes {
      for day in days(of: name) where window.from <= day.day && day.day <= window.to {
        sum.events += day.count.events
        sum.use += day.count.use
      }
    }
    return sum
  }

  /// The mean use of a day in the last week.
  fileprivate var recentUse: Double {
    let uses = uses.sorted { $0.key < $1.key }.suffix(7)
    return uses.isEmpty ? 0 : uses.reduce(0) { $0 + $1.value } / Double(uses.count)
  }
}

extension RolloutCostForecast: APIObject {
  public static let fields = Fields<Self>("RolloutForecast") {
    Field("adoption", \.adoption, "The assumed share of the release in the app's use.")
    Field(
      "crash_free", \.crashFree, "The crash-free share of a day's sessions, with an interval for 95 % of such days.")
    Field("more_users", \.moreUsers, "The additional users with a crash a day; negative for fewer.")
  }
}

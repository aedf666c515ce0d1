import Analysis
import Core
import Fleets
import Foundation
import Storage

/// Rollouts of releases whose difference is known, looked at every day.
struct RolloutClaims {
  /// The number of fleets in each row.
  let fleets: Int
  let seed: UInt64

  func print(only: String? = nil) throws {
    let equal = ClaimTable(
      "Equal releases: ever halted by rollout in 14 daily looks, ever stopped by compare in seven daily looks, in %",
      ["fleet", "phones", "halted", "stopped by compare", "by metric"])
    for (name, change) in Self.harmless where only == nil || name.contains(only ?? "") {
      for phones in [150, 500, 2_500] {
        var fleet = RolloutFleet()
        fleet.phones = phones
        change(&fleet)
        let counts = try RolloutScenario(fleet).play(phones > 1_000 ? max(20, fleets / 4) : fleets, seed: seed)
        equal.row([
          name, "\(phones)", percent(counts.halted, of: counts.fleets), percent(counts.stopped, of: counts.fleets),
          counts.metrics.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "),
        ])
      }
    }
    let worse = ClaimTable(
      "Worse releases: halted in %, and the median day",
      ["fleet", "phones", "halted", "by day 4", "by day 5", "median day", "by metric"])
    for (name, phones, change) in Self.harmful where only == nil || name.contains(only ?? "") {
      var fleet = RolloutFleet()
      fleet.phones = phones
      change(&fleet)
      let counts = try RolloutScenario(fleet).play(max(20, phones > 10_000 ? fleets / 10 : fleets / 4), seed: seed)
      worse.row([
        name, "\(phones)", percent(counts.halted, of: counts.fleets),
        percent(counts.days.count { $0 <= 4 }, of: counts.fleets),
        percent(counts.days.count { $0 <= 5 }, of: counts.fleets),
        counts.days.count * 2 > counts.fleets ? "\(counts.days.sorted()[counts.fleets / 2])" : "–",
        counts.metrics.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "),
      ])
    }
  }

  private static let harmless: [(String, @Sendable (inout RolloutFleet) -> Void)] = [
    ("at random", { _ in }),
    ("heavy users first", { $0.order = .heavyFirst(strength: 0.5) }),
    ("heavy users strictly first", { ($0.order, $0.sessionSpread) = (.heavyFirst(strength: 1), 0.9) }),
    ("first launch 2.5 times slower", { $0.firstLaunch = 2.5 }),
    ("first launch slower, base's rollout unknown", { ($0.firstLaunch, $0.isBaseSettled) = (2.5, true) }),
    ("first session crashes 5 times as often", { $0.firstSession = 5 }),
    ("first session crashes, base's rollout unknown", { ($0.firstSession, $0.isBaseSettled) = (5, true) }),
    ("weekly cycle", { $0.season = 0.3 }),
    ("outage on day 4", { $0.outage = (3, 8) }),
  ]

  private static let harmful: [(String, Int, @Sendable (inout RolloutFleet) -> Void)] = [
    ("crashes doubled, 100,000 sessions a day", 33_000, { $0.moreCrashes = 2 }),
    ("crashes tripled, 7,500 sessions a day", 2_500, { $0.moreCrashes = 3 }),
    ("crashes doubled, base's rollout unknown", 33_000, { ($0.moreCrashes, $0.isBaseSettled) = (2, true) }),
    ("launches 15 % slower", 5_000, { $0.slowerLaunch = 1.15 }),
    ("launches 15 % slower, first launch slow", 5_000, { ($0.slowerLaunch, $0.firstLaunch) = (1.15, 2.5) }),
    ("only first launch 15 % slower", 5_000, { ($0.slowerFirstLaunch, $0.firstLaunch) = (1.15, 2.5) }),
    ("hangs doubled", 2_500, { $0.moreHangs = 2 }),
  ]
}

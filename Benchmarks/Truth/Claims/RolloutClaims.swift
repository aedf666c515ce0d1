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

  func print(only: String? = nil, size: Int? = nil) throws {
    let equal = ClaimTable(
      "Equal releases: ever halted by rollout in 14 daily looks, ever stopped by compare in seven daily looks, in %",
      ["fleet", "phones", "halted", "stopped by compare", "by metric"])
    for (name, change) in Self.harmless where only == nil || name.contains(only ?? "") {
      // Large fleets take half an hour a row.
      let sizes = [150, 500, 2_500] + (Self.large.contains(name) || size != nil ? [20_000] : [])
      for phones in sizes where (size ?? phones) == phones {
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
    for (name, phones, change) in Self.harmful
    where (only == nil || name.contains(only ?? "")) && (size ?? phones) == phones {
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

  /// Equal releases at which `rollout` is asked more often than once a day.
  func often(only: String? = nil) throws {
    let table = ClaimTable(
      "Equal releases: ever halted by rollout in 14 days, in %",
      ["fleet", "phones", "asked every", "looks", "fleets", "halted"])
    for (name, change) in Self.harmless + Self.zones where only == nil || name.contains(only ?? "") {
      // Looks every five minutes take a minute for each fleet.
      let sizes = [(500, 60), (2_500, 60), (20_000, 1_440)] + (Self.closely.contains(name) ? [(500, 5)] : [])
      for (phones, minutes) in sizes {
        var fleet = RolloutFleet()
        fleet.phones = phones
        change(&fleet)
        let count = max(20, fleets / (phones > 1_000 || minutes < 60 ? 4 : 1))
        let counts = try RolloutScenario(fleet).play(count, seed: seed, minutes: minutes)
        table.row([
          name, "\(phones)", minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h", "\(14 * 1_440 / minutes)",
          "\(counts.fleets)", percent(counts.halted, of: counts.fleets),
        ])
      }
    }
  }

  private static let large = [
    "at random", "heavy users first", "heaviest tenth strictly first, crash 3 times as often",
    "heaviest tenth strictly first, 1.3 times slower", "weekly cycle", "outage on day 4",
  ]
  private static let closely = ["at random", "heavy users first", "one time zone crashes 4 times as often"]

  private static let zones: [(String, @Sendable (inout RolloutFleet) -> Void)] = [
    ("one time zone crashes 4 times as often", { $0.zoneCrashes = [1, 1, 4] })
  ]

  /// What the first six days of a rollout say about later ones. The rollout ends at 80 %, as forecasts assume.
  func foretell(only: String? = nil) throws {
    let table = ClaimTable(
      "What is said in the first six days: vitals known within the stated days, and forecasts of the crash-free share "
        + "at 80 % adoption that contain that of the day a week later, in %",
      ["fleet", "phones", "known in time", "vitals", "forecasts right", "forecasts"])
    for (name, change) in Self.foretold where only == nil || name.contains(only ?? "") {
      for phones in [500, 2_500, 10_000] {
        var fleet = RolloutFleet()
        (fleet.phones, fleet.days, fleet.ramp) = (phones, 24, [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8])
        change(&fleet)
        let counts = try RolloutScenario(fleet).play(
          phones > 5_000 ? max(20, fleets / 8) : max(20, fleets / 2), seed: seed, compares: false, foretells: true)
        table.row([
          name, "\(phones)", percent(counts.waitsKept, of: counts.waits), "\(counts.waits)",
          percent(counts.forecastsKept, of: counts.forecasts), "\(counts.forecasts)",
        ])
      }
    }
  }

  private static let foretold: [(String, @Sendable (inout RolloutFleet) -> Void)] = [
    ("equal releases", { _ in }),
    ("crashes doubled", { $0.moreCrashes = 2 }),
    ("heavy users first", { $0.order = .heavyFirst(strength: 0.5) }),
    ("first session crashes 5 times as often", { $0.firstSession = 5 }),
    ("weekly cycle", { $0.season = 0.3 }),
    ("outage on day 4", { $0.outage = (3, 8) }),
  ]

  private static let harmless: [(String, @Sendable (inout RolloutFleet) -> Void)] = [
    ("at random", { _ in }),
    ("heavy users first", { $0.order = .heavyFirst(strength: 0.5) }),
    ("heavy users strictly first", { ($0.order, $0.sessionSpread) = (.heavyFirst(strength: 1), 0.9) }),
    ("heavy users first, crash 3 times as often", { ($0.order, $0.heavyCrashes) = (.heavyFirst(strength: 0.5), 3) }),
    (
      "the same, no installations",
      { ($0.order, $0.heavyCrashes, $0.namesInstallations) = (.heavyFirst(strength: 0.5), 3, false) }
    ),
    (
      "heavy users strictly first, crash 3 times as often",
      { ($0.order, $0.sessionSpread, $0.heavyCrashes) = (.heavyFirst(strength: 1), 0.9, 3) }
    ),
    (
      "the same, in the base's rollout, too",
      {
        ($0.order, $0.sessionSpread, $0.heavyCrashes) = (.heavyFirst(strength: 1), 0.9, 3)
        $0.baseOrder = $0.order
      }
    ),
    (
      "heaviest tenth strictly first, crash 3 times as often",
      { ($0.order, $0.heavyShare, $0.heavyCrashes) = (.heavyFirst(strength: 1), 0.1, 3) }
    ),
    (
      "heaviest tenth strictly first, 1.3 times slower",
      { ($0.order, $0.heavyShare, $0.heavySlowness) = (.heavyFirst(strength: 1), 0.1, 1.3) }
    ),
    ("heavy users first, 1.3 times slower", { ($0.order, $0.heavySlowness) = (.heavyFirst(strength: 0.5), 1.3) }),
    (
      "heavy users strictly first, 1.3 times slower",
      { ($0.order, $0.sessionSpread, $0.heavySlowness) = (.heavyFirst(strength: 1), 0.9, 1.3) }
    ),
    ("first launch 2.5 times slower", { $0.firstLaunch = 2.5 }),
    ("first launch slower, base's rollout unknown", { ($0.firstLaunch, $0.isBaseSettled) = (2.5, true) }),
    ("first launch 2.5 times slower, first runs stated", { ($0.firstLaunch, $0.statesFirstRuns) = (2.5, true) }),
    (
      "the same, base's rollout unknown",
      { ($0.firstLaunch, $0.statesFirstRuns, $0.isBaseSettled) = (2.5, true, true) }
    ),
    (
      "the same, heavy users strictly first",
      {
        ($0.firstLaunch, $0.statesFirstRuns) = (2.5, true)
        ($0.order, $0.sessionSpread) = (.heavyFirst(strength: 1), 0.9)
      }
    ),
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
    (
      "launches 15 % slower, first runs stated", 5_000,
      { ($0.slowerLaunch, $0.firstLaunch, $0.statesFirstRuns) = (1.15, 2.5, true) }
    ),
    (
      "only first launch 15 % slower, first runs stated", 5_000,
      { ($0.slowerFirstLaunch, $0.firstLaunch, $0.statesFirstRuns) = (1.15, 2.5, true) }
    ),
    ("only first launch 15 % slower", 5_000, { ($0.slowerFirstLaunch, $0.firstLaunch) = (1.15, 2.5) }),
    ("hangs doubled", 2_500, { $0.moreHangs = 2 }),
    ("crashes 1.25 times as often", 20_000, { $0.moreCrashes = 1.25 }),
    ("crashes 1.5 times as often", 33_000, { $0.moreCrashes = 1.5 }),
    ("crashes tripled", 20_000, { $0.moreCrashes = 3 }),
    ("hangs 1.5 times as often", 20_000, { $0.moreHangs = 1.5 }),
    ("hangs 1.25 times as often", 20_000, { $0.moreHangs = 1.25 }),
    ("hangs tripled", 500, { $0.moreHangs = 3 }),
    ("launches twice as slow", 150, { $0.slowerLaunch = 2 }),
    ("launches three times as slow", 150, { $0.slowerLaunch = 3 }),
    (
      "crashes tripled, heavy users first", 2_500, { ($0.moreCrashes, $0.order) = (3, .heavyFirst(strength: 0.5)) }
    ),
    (
      "launches 50 % slower, heavy users first", 2_500,
      { ($0.slowerLaunch, $0.order) = (1.5, .heavyFirst(strength: 0.5)) }
    ),
    ("launches 25 % slower", 2_500, { $0.slowerLaunch = 1.25 }),
    ("launches 50 % slower", 500, { $0.slowerLaunch = 1.5 }),
  ]
}

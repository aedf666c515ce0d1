import Fleets
import Foundation
import Testing

/// What intervals and verdicts claim, on fleets whose truth is known. `make truth` plays ten times as many of each.
@Suite("Claims about fleets with known truth")
struct ClaimTests {
  /// Fleets of each scenario: a debug build has seconds. `CLAIM_FLEETS` asks for more.
  static let fleets = ProcessInfo.processInfo.environment["CLAIM_FLEETS"].flatMap(Int.init) ?? 100
  static let seed: UInt64 = 7

  /// So many of `n` are at most a share, and what chance adds to it once in a thousand runs.
  private func isAtMost(_ share: Double, _ count: Int, of n: Int) -> Bool {
    Double(count) <= share * Double(n) + 3.1 * (Double(n) * share * (1 - share)).squareRoot()
  }

  private func expect(_ scenario: BudgetScenario, misses: Double = 0.07, broken: Double = 0.05, within: Double? = nil)
    throws
  {
    for (claim, counts) in zip(scenario.claims, try scenario.play(Self.fleets, seed: Self.seed)) {
      let text = "\(scenario.who): \(claim.budget) \(counts), seed \(Self.seed)"
      #expect(isAtMost(misses, counts.intervals - counts.covered, of: counts.intervals), "\(text)")
      #expect(isAtMost(broken, counts.broken, of: counts.fleets), "\(text)")
      if let within { #expect(isAtMost(within, counts.within, of: counts.fleets), "\(text)") }
    }
  }

  @Test(
    "intervals of rates cover the truth in at least 93 % of fleets, and break in at most 5 %",
    arguments: [(5, 28, 1.0), (10, 7, 1.5), (30, 7, 1.0), (100, 1, 1.5), (100, 7, 0.0)])
  func rates(phones: Int, days: Int, variation: Double) throws {
    var fleet = Fleet()
    (fleet.phones, fleet.days, fleet.variation, fleet.measures) = (phones, days, variation, [.rates])
    let truth = fleet.trueRates
    try expect(
      BudgetScenario(
        "\(phones) phones, \(days) days, CV \(variation)", fleet,
        [
          .init("hang.rate <= \(truth.hangRate) s/h", truth: truth.hangRate),
          .init("hang.frequency <= \(truth.hangFrequency) hangs/h", truth: truth.hangFrequency),
          .init("exits.foreground_abnormal <= \(truth.exits) per 1,000", truth: truth.exits),
        ]))
  }

  private static let percentiles = [(50, 0), (90, 1.281_551_565_544_6), (95, 1.644_853_626_951_5)].map { rank, normal in
    let truth = Fleet.launchQuantile(normal: normal)
    return BudgetScenario.Claim("p\(rank) launch.first_draw <= \(truth) ms", truth: truth)
  }

  @Test(
    "a percentile exactly at budget is broken in at most 5 % of fleets",
    arguments: [
      (10, 1, 6, 0.2, nil), (30, 7, 1.5, 0, nil), (30, 7, 1.5, 0.05, nil), (30, 7, 1.5, 0.4, nil),
      (30, 7, 5, 0.02, nil),
      (30, 7, 1.5, 0.2, 100),
    ] as [(Int, Int, Double, Double, Double?)])
  func percentile(phones: Int, days: Int, launches: Double, likeness: Double, busy: Double?) throws {
    var fleet = Fleet()
    (fleet.phones, fleet.days, fleet.launches, fleet.likeness) = (phones, days, launches, likeness)
    (fleet.busyLaunches, fleet.isBusyDaily, fleet.measures) = (busy, busy != nil, [.launches])
    try expect(BudgetScenario("\(phones) phones, ICC \(likeness), busy \(busy ?? 0)", fleet, Self.percentiles))
  }

  @Test("launches of fewer than ten payloads, or of one phone, are never judged", arguments: [(1, 9), (1, 28), (9, 1)])
  func fewPayloads(phones: Int, days: Int) throws {
    var fleet = Fleet()
    (fleet.phones, fleet.days, fleet.launches, fleet.likeness, fleet.measures) = (phones, days, 6, 0.7, [.launches])
    for counts in try BudgetScenario("", fleet, Self.percentiles).play(30, seed: Self.seed) {
      #expect(counts.broken == 0 && counts.within == 0 && counts.intervals == 0)
    }
  }

  @Test(
    "a crash-free share exactly at budget is broken, or within, in at most 5 % of fleets",
    arguments: [
      (100, 7, 0.0, false, 0.0), (100, 7, 0.2, false, 0), (100, 28, 0.05, true, 0), (40, 28, 0, false, 0.02),
      (300, 7, 0, false, 0.02),
    ])
  func crashFree(users: Int, days: Int, likeness: Double, isLasting: Bool, prone: Double) throws {
    var fleet = Fleet()
    (fleet.phones, fleet.days, fleet.measures) = (users, days, [.sessions])
    (fleet.crashes.likeness, fleet.crashes.isLasting, fleet.crashes.prone) = (likeness, isLasting, prone)
    let truth = 1 - fleet.trueCrashShare
    try expect(
      BudgetScenario(
        "\(users) users, \(days) days, ICC \(likeness), prone \(prone)", fleet,
        [.init("sessions.crash_free >= \(truth * 100) %", truth: truth)]), misses: 0.1, within: 0.05)
  }

  private func pair(_ phones: Int, _ days: Int) -> Fleet {
    var fleet = Fleet()
    (fleet.phones, fleet.days, fleet.likeness, fleet.launches, fleet.variation) = (phones, days, 0.2, 2, 1)
    fleet.classes = [
      Fleet.DeviceClass("iPhone 13", share: 0.4, speed: 1), Fleet.DeviceClass("iPhone 14", share: 0.35, speed: 0.8),
      Fleet.DeviceClass("iPhone 15", share: 0.25, speed: 0.6),
    ]
    fleet.releases = [Fleet.Release("4.1.0"), Fleet.Release("4.2.0")]
    return fleet
  }

  @Test(
    "the same release twice, on newer phones or other days, differs in at most about 5 % of tables",
    arguments: 0..<3)
  func nothing(kind: Int) throws {
    var fleet = pair(60, 7)
    if kind == 1 { (fleet.releases[0].shares, fleet.releases[1].shares) = ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]) }
    if kind == 2 {
      fleet.dayEffect = 0.3
      fleet.releases[0].use = (0..<7).map { 1 - 0.9 * Double($0) / 7 }
      fleet.releases[1].use = fleet.releases[0].use.reversed()
    }
    let counts = try ComparisonScenario("", fleet).play(Self.fleets / 2, seed: Self.seed)
    #expect(isAtMost(0.05, counts.called, of: counts.pairs), "\(counts), seed \(Self.seed)")
  }

  @Test("a launch that takes 20 % longer is found, and never called faster")
  func slower() throws {
    var fleet = pair(200, 5)
    fleet.measures = [.launches]
    fleet.releases[1].slowdown = 1.2
    let counts = try ComparisonScenario("", fleet).play(Self.fleets / 5, seed: Self.seed)
    #expect((counts.worse["launch.first_draw"] ?? 0) * 10 >= 8 * counts.pairs, "\(counts)")
    #expect(counts.better["launch.first_draw"] == nil)
  }

  @Test("launches that take 15 % longer are found with few more phones than by a test that knows every phone")
  func power() throws {
    var fleet = PowerFleet(.launches, phones: 110)
    fleet.factor = 1.15
    let counts = try PowerScenario(fleet).play(Self.fleets / 2, seed: Self.seed)
    #expect(counts.worse * 10 >= 7 * counts.fleets, "\(counts)")
    #expect(counts.worse * 10 >= 8 * counts.referenceWorse && counts.better == 0, "\(counts)")
  }

  @Test("equal launches differ in at most 5 % of fleets, however slow a tenth of phones is", arguments: [1.0, 2, 3])
  func equalLaunches(slowness: Double) throws {
    var fleet = PowerFleet(.launches, phones: 60)
    (fleet.slowPhones, fleet.slowness) = (0.1, slowness)
    let counts = try PowerScenario(fleet).play(Self.fleets, seed: Self.seed)
    #expect(isAtMost(0.05, counts.significant, of: counts.fleets), "\(counts)")
  }

  @Test("a device class that is worse is named even if another one is better")
  func classes() throws {
    var fleet = pair(200, 5)
    fleet.measures = [.launches]
    fleet.releases[1].slowdownByClass = [1.3, 0.77, 1]
    let counts = try ComparisonScenario("", fleet).play(Self.fleets / 5, seed: Self.seed)
    #expect((counts.worseClass["launch.first_draw"] ?? 0) * 10 >= 9 * counts.pairs, "\(counts)")
    #expect(counts.warned * 10 >= 9 * counts.pairs)
  }

  /// Rollouts are longer than other fleets, so fewer of them are played: all kinds count together.
  private static let rollouts = max(3, fleets / 30)

  @Test("equal releases are halted at some of 14 looks, or stopped by compare at some of seven, in few fleets")
  func equalRollouts() throws {
    var sum = RolloutScenario.Counts()
    for kind in 0..<5 {
      var fleet = RolloutFleet()
      (fleet.phones, fleet.daysBefore, fleet.days) = (100, 14, 9)
      switch kind {
      case 1: (fleet.order, fleet.sessionSpread) = (.heavyFirst(strength: 1), 0.9)
      case 2: fleet.firstLaunch = 2.5
      case 3: (fleet.firstSession, fleet.isBaseSettled) = (5, true)
      case 4: fleet.outage = (3, 8)
      default: break
      }
      let counts = try RolloutScenario(fleet).play(Self.rollouts, seed: Self.seed)
      (sum.fleets, sum.halted, sum.stopped) = (
        sum.fleets + counts.fleets, sum.halted + counts.halted, sum.stopped + counts.stopped
      )
    }
    #expect(isAtMost(0.05, sum.halted, of: sum.fleets), "\(sum)")
    #expect(isAtMost(0.075, sum.stopped, of: sum.fleets), "\(sum)")
  }

  @Test(
    "heavy users who update first, launch slowly and crash often stop no equal release, with and without installations")
  func heavyUsers() throws {
    for namesInstallations in [true, false] {
      var fleet = RolloutFleet()
      (fleet.phones, fleet.daysBefore, fleet.days, fleet.order) = (1_200, 14, 9, .heavyFirst(strength: 1))
      (fleet.heavyShare, fleet.heavyCrashes, fleet.heavySlowness) = (0.1, 3, 1.3)
      fleet.namesInstallations = namesInstallations
      let counts = try RolloutScenario(fleet).play(2, seed: Self.seed)
      #expect(counts.halted == 0 && counts.stopped == 0, "\(counts)")
    }
  }

  @Test("crashes that tripled halt a rollout, launches that slowed down too, and a slower first launch alone does not")
  func worseRollouts() throws {
    var fleet = RolloutFleet()
    (fleet.phones, fleet.daysBefore, fleet.days, fleet.moreCrashes) = (1_200, 14, 9, 6)
    let crashes = try RolloutScenario(fleet).play(2, seed: Self.seed, compares: false)
    #expect(crashes.halted == 2 && crashes.metrics["sessions.crash_free"] == 2, "\(crashes)")
    (fleet.moreCrashes, fleet.slowerLaunch) = (1, 1.3)
    let launches = try RolloutScenario(fleet).play(2, seed: Self.seed, compares: false)
    #expect(launches.halted == 2 && launches.metrics["launch.first_draw"] == 2, "\(launches)")
    (fleet.slowerLaunch, fleet.firstLaunch) = (1, 2.5)
    let first = try RolloutScenario(fleet).play(2, seed: Self.seed, compares: false)
    #expect(first.halted == 0, "\(first)")
  }

  @Test("launches that state the first run halt a slower release, and not one whose first launches alone slowed down")
  func statedFirstRuns() throws {
    var fleet = RolloutFleet()
    (fleet.phones, fleet.daysBefore, fleet.days, fleet.statesFirstRuns) = (1_200, 14, 9, true)
    (fleet.firstLaunch, fleet.slowerFirstLaunch) = (2.5, 1.3)
    let first = try RolloutScenario(fleet).play(2, seed: Self.seed)
    #expect(first.halted == 0 && first.metrics["compare launch.first_draw"] == nil, "\(first)")
    (fleet.slowerFirstLaunch, fleet.slowerLaunch) = (1, 1.3)
    let launches = try RolloutScenario(fleet).play(2, seed: Self.seed, compares: false)
    #expect(launches.halted == 2 && launches.metrics["launch.first_draw"] == 2, "\(launches)")
  }

  @Test(
    "the interval of a young day contains the share of crashes that the day has in the end, in 93 % of days",
    arguments: [(600, 1.0, 0.0), (2_000, 0.3, 0.0), (2_000, 0.3, 0.3)])
  func youngDays(sessions: Int, rare: Double, season: Double) throws {
    var fleet = LateFleet()
    (fleet.sessions, fleet.rareUsers, fleet.season) = (Double(sessions), rare, season)
    for counts in try LateScenario(fleet).play(Self.fleets / 2, ages: [20, 30, 54], seed: Self.seed) {
      let text = "\(sessions) sessions, \(counts), seed \(Self.seed)"
      #expect(counts.points > Self.fleets / 3, "\(text)")
      #expect(isAtMost(0.07, counts.points - counts.covered, of: counts.points), "\(text)")
      #expect(counts.open == counts.points, "\(text)")
      // Without the correction, crashes that are reported later are missing.
      let known = counts.plain * Double(sessions) / 2
      #expect(abs(counts.shown / counts.final - 1) < 0.03 + 3.5 / known.squareRoot(), "\(text)")
      #expect(counts.plain < counts.shown, "\(text)")
    }
  }
}

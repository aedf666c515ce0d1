import Storage

extension Scenario {
  /// Breaks in fleets of three sizes: each should be one incident, whose messages say something new. The third release
  /// breaks on day 17 and is replaced from day 31 on. In two scenarios, nothing breaks or all releases do.
  static let breaks = [500, 2000, 20_000].flatMap { users in
    [
      healthy(users),
      crashes("crashes 2 times", users, 0.002), crashes("crashes 3 times", users, 0.004),
      crashes("crashes 10 times", users, 0.018),
      broken("launches 1.3 times slower", users, ["launch.first_draw"]) { $0.launch = slower(1.3) },
      broken("hangs 2 times", users, ["hang.rate"]) { $0.hangs = { _, release in release == 2 ? 1.6 : 0.8 } },
      broken("5 % of first launches crash", users, crashMetrics, cause: CrashCauses.fault) {
        $0.firstLaunch = { $0 == 2 ? 0.05 : 0 }
      },
      broken(
        "crashes 3 times, launches 1.6 times slower", users, crashMetrics.union(["launch.first_draw"]),
        cause: CrashCauses.fault
      ) {
        $0.extra = Extra(cause: CrashCauses.fault) { _, release in release == 2 ? 0.004 : 0 }
        $0.launch = slower(1.6)
      },
      broken("crashes 10 times, halted and replaced after 2 days", users, crashMetrics, cause: CrashCauses.fault) {
        $0.extra = Extra(cause: CrashCauses.fault) { _, release in release == 2 ? 0.018 : 0 }
        // Just before 5 % of users would be offered it.
        $0.halted = [2: 1.99]
        $0.releases[3] = 19
      },
      serverDay(users),
    ]
  }

  /// The start of the bad release.
  static let badDay = 17.0

  private static func fleet(_ name: String, _ users: Int) -> Scenario {
    Scenario(
      name: "\(name), \(users) phones", length: 40, evaluatedFrom: badDay - 2, interval: 30, users: users,
      hangs: { _, _ in 0.8 }, releases: [-30, 3, badDay, 31])
  }

  private static func healthy(_ users: Int) -> Scenario {
    var scenario = fleet("healthy for 60 days", users)
    scenario.length = 60
    scenario.evaluatedFrom = 0
    scenario.releases = [-30, 3, 17, 31, 45]
    return scenario
  }

  private static func slower(_ factor: Double) -> @Sendable (Double, Int) -> Double {
    { _, release in release == 2 ? 800 * factor : 800 }
  }

  private static func crashes(_ name: String, _ users: Int, _ more: Double) -> Scenario {
    broken(name, users, crashMetrics, cause: CrashCauses.fault) {
      $0.extra = Extra(cause: CrashCauses.fault) { _, release in release == 2 ? more : 0 }
    }
  }

  private static func broken(
    _ name: String, _ users: Int, _ metrics: Set<String>, cause: Int? = nil, change: (inout Scenario) -> Void
  ) -> Scenario {
    var scenario = fleet(name, users)
    let days = badDay..<scenario.length
    scenario.fault = Fault(rules: ofMetrics, days: days, metrics: metrics, release: 2, app: days, cause: cause)
    change(&scenario)
    return scenario
  }

  /// On day 20, a server's answers crash all releases. A tenth of the users has been offered the newest one.
  private static func serverDay(_ users: Int) -> Scenario {
    var scenario = fleet("a server day, crashes 10 times in all releases", users)
    scenario.extra = Extra(cause: CrashCauses.known) { day, _ in (20..<21).contains(day) ? 0.018 : 0 }
    scenario.fault = Fault(
      rules: ofMetrics, days: 20..<scenario.length, metrics: crashMetrics, cause: CrashCauses.known)
    return scenario
  }

  private static let ofMetrics: Set<BreachKey.Rule> = [
    .budget, .warning, .burn, .regression, .rollout, .newGroup, .groupSpike,
  ]
}

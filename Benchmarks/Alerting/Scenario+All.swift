import Storage

extension Scenario {
  /// All scenarios.
  static let all = quiet + slow + releases + [spike, outage]

  /// Metrics that a higher crash rate affects. With 4 sessions per day, 0.2 % are 0.8 % of user-days.
  static let crashMetrics: Set = ["sessions.crash_free", "users.crash_free_daily"]

  /// The share of crashed sessions that makes 1 % of user-days crash, with 4 sessions per day. The number of crashes
  /// per day is Poisson-distributed, on days with a session: (1 − exp(−4 p)) ÷ (1 − exp(−4)) = 0.01.
  private static let dailyLimit = 0.002_466

  /// Scenarios without a fault in the limited metrics.
  private static let quiet = [
    Scenario(name: "healthy, 0.2 % crashed"),
    Scenario(name: "night-time trickle, 60 users", users: 60, sessionsPerDay: 3),
    Scenario(name: "one user crashes in a loop, own cause", loop: Loop(days: 40..<45, cause: CrashCauses.fault)),
    Scenario(name: "one user crashes in a loop, common cause", loop: Loop(days: 40..<45, cause: CrashCauses.common)),
    Scenario(name: "exactly at the budget, 1 % of user-days", crashed: { _, _ in dailyLimit }),
    // One session per day, so that user-days are within their budget.
    Scenario(
      name: "exactly at the budget, 0.5 % of sessions", users: 1200, sessionsPerDay: 1, crashed: { _, _ in 0.005 }),
  ]

  /// The metrics become worse from day to day in every release. An alert about a release would be wrong.
  private static let slow = [
    Scenario(
      name: "slow regression of crashes", crashed: { day, _ in 0.002 + max(0, min(1, (day - 35) / 30)) * 0.013 },
      fault: Fault(
        rules: [.budget, .burn], days: (35 + 30 * (dailyLimit - 0.002) / 0.013)..<days, metrics: crashMetrics)),
    Scenario(
      name: "slow regression of launch", launch: { day, _ in 800 * (1 + max(0, min(1, (day - 35) / 30)) * 0.9) },
      fault: Fault(
        rules: [.budget], days: (35 + 30 * (2000 / (800 * 1.67) - 1) / 0.9)..<days, metrics: ["launch.first_draw"])),
  ]

  /// The third release has its own crash. The app exceeds 1 % of user-days when the release is offered to 2 % of users
  /// (with 4 %) or 5 % (with 2 % or 1 %).
  private static let releases = [
    bad("bad release, 4 % crashed", 0.038, app: 32), bad("bad release, 2 % crashed", 0.018, app: 33),
    bad("new cause, 1 % of a release's sessions", 0.01, app: 33),
  ]

  private static func bad(_ name: String, _ share: Double, app: Double) -> Scenario {
    // All users have the next release on day 59, and the longest window is 28 days.
    let end = 59.0 + 28
    return Scenario(
      name: name, users: 625,
      extra: Extra(cause: CrashCauses.fault) { _, release in release == 2 ? share : 0 },
      fault: Fault(
        rules: [.budget, .burn, .regression, .newGroup], days: 31..<end, metrics: crashMetrics, release: 2,
        app: app..<end, cause: CrashCauses.fault))
  }

  /// A fault in every release: a server that answers differently.
  private static let spike = Scenario(
    name: "known cause, from 0.01 to 1 % of sessions", users: 625,
    extra: Extra(cause: CrashCauses.known) { day, _ in day >= 40 ? 0.01 : 0 },
    fault: Fault(
      rules: [.budget, .burn, .groupSpike], days: 40..<days, metrics: crashMetrics, cause: CrashCauses.known))

  private static let outage = Scenario(
    name: "ingestion fails for 60 h", outage: 40.4..<42.9, fault: Fault(rules: [.stale], days: 40.4..<42.9))
}

/// What happens to a fleet in 90 days, and when something is really wrong. Times are days since the start.
struct Scenario: Sendable {
  var name: String
  var users = 300
  var sessionsPerDay = 4.0
  /// True share of crashed sessions, by day and release.
  var crashed: @Sendable (_ day: Double, _ release: Int) -> Double = { _, _ in 0.002 }
  /// Median launch in ms, by day and release. The p90 is 1.67 times as long.
  var launch: @Sendable (_ day: Double, _ release: Int) -> Double = { _, _ in 800 }
  /// When releases begin to roll out: 1, 2, 5, 10, 20, 50, 100 % on seven days, as the App Store phases them.
  var releases: [Double] = [-30, 10, 31, 52, 73]
  /// Days on which one user crashes over and over.
  var loop: Range<Double>?
  /// Days on which nothing arrives; what was sent is lost.
  var outage: Range<Double>?
  /// When a limit is really broken; nil where it never is.
  var breach: Double?
  /// The rules that ought to speak up.
  var expected: String { outage == nil ? "budget, burn or regression" : "stale" }

  static let days = 90.0

  static let all = [
    Scenario(name: "healthy, 0.2 % crashed"),
    Scenario(name: "night-time trickle, 60 users", users: 60, sessionsPerDay: 3),
    Scenario(name: "one user crashes in a loop", loop: 40..<45),
    Scenario(name: "exactly at the budget, 0.5 %", crashed: { _, _ in 0.005 }),
    Scenario(
      name: "slow regression of crashes", crashed: { day, _ in 0.002 + max(0, min(1, (day - 35) / 30)) * 0.013 },
      breach: 35 + 30 * 0.003 / 0.013),
    Scenario(
      name: "slow regression of launch", launch: { day, _ in 800 * (1 + max(0, min(1, (day - 35) / 30)) * 0.9) },
      breach: 35 + 30 * (2000 / (800 * 1.67) - 1) / 0.9),
    Scenario(
      name: "bad release, 4 % crashed", users: 500, sessionsPerDay: 5,
      crashed: { _, release in release == 2 ? 0.04 : 0.002 }, breach: 31),
    Scenario(
      name: "bad release, 2 % crashed", users: 500, sessionsPerDay: 5,
      crashed: { _, release in release == 2 ? 0.02 : 0.002 }, breach: 31),
    Scenario(name: "ingestion fails for 60 h", outage: 40.4..<42.9, breach: 40.4),
  ]

  /// The share of users that a release is offered to.
  static func rollout(_ age: Double) -> Double {
    let phases = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
    guard age >= 0 else { return 0 }
    return age < 7 ? phases[Int(age)] : 1
  }
}

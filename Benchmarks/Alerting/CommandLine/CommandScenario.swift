import Storage

/// What happens to a fleet in thirty days that are played through the real commands, judged by the default budgets. Times
/// are days since the start.
struct CommandScenario: Sendable {
  var fleet: Scenario
  /// What has to come of it; nil when no incident may open.
  var fault: Fault?

  var name: String { fleet.name }

  /// Something that is really wrong.
  struct Fault: Sendable {
    /// When an incident may open: from the fault until nothing of it is left in the longest window of burn rates, 3 days.
    /// Others are false.
    var days: Range<Double>
    /// When every user has the release that mends it. The team then resolves the groups that incidents named.
    var mended: Double
    var mendedIn: String
    /// The hours in which the first one has to open.
    var foundWithin: Double
    /// The hours after `mended` in which the last one has to end.
    var endedWithin: Double
  }

  static let days = 30

  static let all = [
    CommandScenario(fleet: Scenario(name: "healthy, 0.2 % crashed", releases: [-30, 10])),
    // 0.2466 % of 4 sessions a day are 1 % of user-days.
    CommandScenario(
      fleet: Scenario(
        name: "exactly at the budget, 1 % of user-days", crashed: { _, _ in 0.002_466 }, releases: [-30, 10])),
    // Everybody has the release a day after it began, and the one that mends it a day after that.
    CommandScenario(
      fleet: Scenario(
        name: "release with 3 % crashed, mended a day later", users: 2000, sessionsPerDay: 2,
        releases: [-30, 20.25, 21.25],
        isPhased: false, extra: Scenario.Extra(cause: CrashCauses.fault) { _, release in release == 1 ? 0.028 : 0 }),
      fault: Fault(days: 20.25..<25.5, mended: 22.25, mendedIn: "4.2.0", foundWithin: 15, endedWithin: 72)),
  ]
}

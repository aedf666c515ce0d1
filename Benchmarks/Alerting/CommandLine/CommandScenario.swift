import Storage

/// A scenario of thirty days for the real commands, evaluated with the default budgets. Times are days since the start.
struct CommandScenario: Sendable {
  var fleet: Scenario
  /// The required result; nil if no incident may open.
  var fault: Fault?

  var name: String { fleet.name }

  /// A real fault.
  struct Fault: Sendable {
    /// The time in which an incident may open: from the fault until it has left the longest window of burn rates, 3
    /// days. Incidents at other times are false.
    var days: Range<Double>
    /// The time when every user has the release with the fix. The team then resolves the groups that incidents named.
    var mended: Double
    var mendedIn: String
    /// The hours within which the first incident must open.
    var foundWithin: Double
    /// The hours after `mended` within which the last incident must end.
    var endedWithin: Double
  }

  static let days = 30

  static let all = [
    CommandScenario(fleet: Scenario(name: "healthy, 0.2 % crashed", releases: [-30, 10])),
    // 0.2466 % of 4 sessions per day are 1 % of user-days.
    CommandScenario(
      fleet: Scenario(
        name: "exactly at the budget, 1 % of user-days", crashed: { _, _ in 0.002_466 }, releases: [-30, 10])),
    // Every user has the release a day after its start, and the fix a day later.
    CommandScenario(
      fleet: Scenario(
        name: "release with 3 % crashed, mended a day later", users: 2000, sessionsPerDay: 2,
        releases: [-30, 20.25, 21.25],
        isPhased: false, extra: Scenario.Extra(cause: CrashCauses.fault) { _, release in release == 1 ? 0.028 : 0 }),
      fault: Fault(days: 20.25..<25.5, mended: 22.25, mendedIn: "4.2.0", foundWithin: 15, endedWithin: 72)),
  ]
}

import Storage

/// The events of a fleet, in 90 days unless it has another length, and the time of a real fault. Times are days since
/// the start.
struct Scenario: Sendable {
  var name: String
  /// The number of days.
  var length = Scenario.days
  /// The day from which alerts are evaluated. Earlier days are only history.
  var evaluatedFrom = 0.0
  /// The minutes between two evaluations.
  var interval = 5
  var users = 300
  var sessionsPerDay = 4.0
  /// The true share of crashed sessions, by day and release.
  var crashed: @Sendable (_ day: Double, _ release: Int) -> Double = { _, _ in 0.002 }
  /// The median launch time in ms, by day and release. The p90 is 1.67 times as long.
  var launch: @Sendable (_ day: Double, _ release: Int) -> Double = { _, _ in 800 }
  /// The hang time in seconds per hour of use, by day and release; nil if no hangs are reported.
  var hangs: (@Sendable (_ day: Double, _ release: Int) -> Double)?
  /// The true share of the first sessions on a release that crash.
  var firstLaunch: @Sendable (_ release: Int) -> Double = { _ in 0 }
  /// The starts of the rollouts: 1, 2, 5, 10, 20, 50, 100 % on seven days, like phased releases in the App Store.
  var releases: [Double] = [-30, 10, 31, 52, 73]
  /// Whether releases are phased. Otherwise every user has one a day after its start.
  var isPhased = true
  /// The age in days at which the rollout of a release was halted. Nobody else is offered it later.
  var halted: [Int: Double] = [:]
  /// Additional crashed sessions with one cause.
  var extra: Extra?
  /// The days on which one user crashes repeatedly.
  var loop: Loop?
  /// The days on which nothing arrives. Data sent on them is lost.
  var outage: Range<Double>?
  /// The real fault; nil without one.
  var fault: Fault?

  static let days = 90.0
  /// The first simulated day, 2026-01-01, in days since 1970.
  static let origin = 20_454

  struct Extra: Sendable {
    var cause: Int
    /// The true share of sessions, by day and release.
    var share: @Sendable (_ day: Double, _ release: Int) -> Double
  }

  struct Loop: Sendable {
    var days: Range<Double>
    var cause: Int
  }

  /// The share of users who have been offered a release by `day`.
  func rollout(of release: Int, on day: Double) -> Double {
    let age = min(day - releases[release], halted[release] ?? .infinity)
    guard isPhased else { return max(0, min(1, age)) }
    let phases = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
    guard age >= 0 else { return 0 }
    return age < 7 ? phases[Int(age)] : 1
  }

  /// The name of a release.
  static func name(of release: Int) -> String { "4.\(release).0" }
}

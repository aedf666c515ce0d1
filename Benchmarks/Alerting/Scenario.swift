import Storage

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
  /// Whether releases are phased; else every user has one a day after it begins.
  var isPhased = true
  /// Sessions that crash besides, of one cause.
  var extra: Extra?
  /// Days on which one user crashes over and over.
  var loop: Loop?
  /// Days on which nothing arrives; what was sent is lost.
  var outage: Range<Double>?
  /// What is really wrong; nil where nothing is.
  var fault: Fault?

  static let days = 90.0
  /// The first day that is played, 2026-01-01, in days since 1970.
  static let origin = 20_454

  struct Extra: Sendable {
    var cause: Int
    /// True share of sessions, by day and release.
    var share: @Sendable (_ day: Double, _ release: Int) -> Double
  }

  struct Loop: Sendable {
    var days: Range<Double>
    var cause: Int
  }

  /// The share of users that a release is offered to. `age`: days since it began to roll out.
  func rollout(_ age: Double) -> Double {
    guard isPhased else { return max(0, min(1, age)) }
    let phases = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
    guard age >= 0 else { return 0 }
    return age < 7 ? phases[Int(age)] : 1
  }

  /// What a release is called.
  static func name(of release: Int) -> String { "4.\(release).0" }
}

/// An end that time runs towards. It is measured by the clock that nobody sets.
struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  init(seconds: Double) { end = .now + .seconds(seconds) }

  /// Seconds until the end; not below zero.
  var remaining: Double { max(0, (end - .now) / .seconds(1)) }
}

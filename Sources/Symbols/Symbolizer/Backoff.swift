internal import Telemetry

/// What failed rests for a while, so that nobody tries it in a tight loop: a file, or the program itself.
struct Backoff {
  private var failures: [String: (count: Int, until: Timestamp)] = [:]

  /// Seconds after the first failure, the second …
  static let seconds: [Int64] = [10, 60, 600]

  /// Whether it may be tried.
  func isOver(_ key: String, _ now: Timestamp) -> Bool { failures[key].map { now >= $0.until } ?? true }

  /// Notes that it failed; how often it did so in a row.
  mutating func fail(_ key: String, _ now: Timestamp) -> Int {
    let count = (failures[key]?.count ?? 0) + 1
    let pause = Self.seconds[min(count, Self.seconds.count) - 1]
    failures[key] = (count, Timestamp(milliseconds: now.milliseconds + pause * 1000))
    return count
  }

  /// Notes that it worked.
  mutating func succeed(_ key: String) { failures[key] = nil }
}

import Core
import Foundation

/// Every raw value and every count of an invented fleet, in memory.
struct ExactTruth {
  var values: [String: [Double]] = [:]
  var outcomes: [SessionOutcome: Int] = [:]
  var foregroundExits: [ExitReason: Int] = [:]
  var backgroundExits: [ExitReason: Int] = [:]
  var hangTime = 0.0
  var hangs = 0
  var foregroundSeconds = 0
  var users: Set<Int> = []
  var crashedUsers: Set<Int> = []
  var userDays = 0
  var crashedUserDays = 0

  mutating func add(_ name: String, _ more: [Double]) { values[name, default: []] += more }

  /// Sorts the values, for percentiles by nearest rank.
  mutating func sort() { for name in values.keys { values[name]?.sort() } }

  func percentile(_ rank: Int, of name: String) -> Double? {
    guard let sorted = values[name], !sorted.isEmpty else { return nil }
    return sorted[max(1, (rank * sorted.count + 99) / 100) - 1]
  }
}

import Core
import Statistics
import Storage

/// The sessions that arrived in a window, in steps of five minutes. The last step is still running: unlike in verdicts,
/// no session is too recent to count.
struct ArrivalWindow {
  private(set) var seen: Int64 = 0
  private(set) var crashed: Int64 = 0
  private var users = UserUnion()

  init(minutes: Int, before now: Timestamp, in arrivals: [Arrival]) {
    let first = Self.first(minutes: minutes, before: now)
    for arrival in arrivals where arrival.start >= first && arrival.start <= first + minutes {
      seen = seen.addingSaturated(arrival.seen)
      crashed = crashed.addingSaturated(arrival.crashed)
      users.add(arrival.users)
    }
  }

  /// The start of the first step, in minutes since 1970, UTC.
  static func first(minutes: Int, before now: Timestamp) -> Int {
    let minute = Int((Double(now.milliseconds) / 60_000).rounded(.down))
    return TimeBin(start: minute, resolution: .fiveMinutes).coarsened(to: .fiveMinutes).start - minutes
  }

  /// The number of distinct users of crashed sessions; nil if no crashed session names its user.
  var crashedUsers: Int? { crashed > 0 && users.estimate == 0 ? nil : users.estimate }

  /// The burn rate: how many times faster than `target` allows sessions crash. Nil if no session arrived. When older
  /// sessions are found to have crashed, there can be more crashes than sessions; their share is then 1.
  func rate(target: Double) -> Double? {
    guard seen > 0, target < 1 else { return nil }
    return min(1, Double(crashed) / Double(seen)) / (1 - target)
  }
}

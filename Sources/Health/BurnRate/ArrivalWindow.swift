import Statistics
import Storage
import Telemetry

/// What arrived in the stretches of five minutes that a window touches: the last one is still running, and a session
/// is never too young to be seen.
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

  /// The start of the first stretch, in minutes since 1970, UTC.
  static func first(minutes: Int, before now: Timestamp) -> Int {
    let minute = Int((Double(now.milliseconds) / 60_000).rounded(.down))
    return TimeBin(start: minute, resolution: .fiveMinutes).coarsened(to: .fiveMinutes).start - minutes
  }

  /// Distinct users of crashed sessions; nil when none of these names its user.
  var crashedUsers: Int? { crashed > 0 && users.estimate == 0 ? nil : users.estimate }

  /// How many times too fast sessions crash for `target`; nil when no session arrived. More crashes than sessions
  /// arrive when older sessions turn out to have crashed: as a share that is all of them.
  func rate(target: Double) -> Double? {
    guard seen > 0, target < 1 else { return nil }
    return min(1, Double(crashed) / Double(seen)) / (1 - target)
  }
}

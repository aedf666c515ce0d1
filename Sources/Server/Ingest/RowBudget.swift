public import Storage
import Synchronization
public import Telemetry

/// How many rows a day each app may write, by weight: what a stranger with the key can add to the folder has an end.
///
/// A day is a day of UTC. Kept in memory; `used` and `restore` carry it over a restart.
public final class RowBudget: Sendable {
  private struct State {
    var day: CalendarDay?
    var used: [AppID: Int] = [:]
  }

  private let perDay: Int
  private let state = Mutex(State())

  /// `perDay` rows, by weight.
  public init(perDay: Int) { self.perDay = max(1, perDay) }

  /// Nil when an app may write; else after how many seconds to ask again, an hour at most.
  func wait(_ app: AppID, at now: Timestamp) -> Int? {
    let isSpent = state.withLock { state in
      Self.turn(&state, to: now.day())
      return (state.used[app] ?? 0) >= perDay
    }
    guard isSpent else { return nil }
    let day: Int64 = 86_400_000
    let left = (day - (now.milliseconds % day + day) % day) / 1000
    return Int(min(3600, max(1, left)))
  }

  /// Adds what an app has written.
  func charge(_ rows: Int, to app: AppID, at now: Timestamp) {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      state.used[app] = min(1 << 60, state.used[app] ?? 0) + min(1 << 40, max(0, rows))
    }
  }

  /// What was written on the day of `now`.
  public func used(at now: Timestamp) -> [AppID: Int] {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      return state.used
    }
  }

  /// Goes on from what was written before a restart on the day of `now`.
  public func restore(_ used: [AppID: Int], at now: Timestamp) {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      state.used.merge(used) { max($0, $1) }
    }
  }

  private static func turn(_ state: inout State, to day: CalendarDay) {
    guard state.day != day else { return }
    state = State(day: day)
  }
}

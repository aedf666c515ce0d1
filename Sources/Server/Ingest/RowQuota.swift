public import Storage
import Synchronization
public import Telemetry

/// The limit of rows that each app may write per day, by weight. It bounds how much a stranger with an app's key can
/// store.
///
/// Days are days of UTC. The numbers are in memory; `used` and `restore` preserve them across a restart.
public final class RowQuota: Sendable {
  private struct State {
    var day: CalendarDay?
    var used: [AppID: Int] = [:]
  }

  private let perDay: Int
  private let state = Mutex(State())

  /// `perDay`: the limit of each app, in weighted rows.
  public init(perDay: Int) { self.perDay = max(1, perDay) }

  /// The seconds after which an app may write again, at most 3,600; nil if it may write now.
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

  /// Adds the weighted rows that an app has written.
  func charge(_ rows: Int, to app: AppID, at now: Timestamp) {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      state.used[app] = min(1 << 60, state.used[app] ?? 0) + min(1 << 40, max(0, rows))
    }
  }

  /// The weighted rows that each app has written on the day of `now`.
  public func used(at now: Timestamp) -> [AppID: Int] {
    state.withLock { state in
      Self.turn(&state, to: now.day())
      return state.used
    }
  }

  /// Sets the numbers of the day of `now` that were stored before a restart.
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

import Dispatch
import Storage
import Synchronization

/// How much of the receiving threads' time each app uses. An app may use all that is idle; when several apps want it, one
/// that uses more than its fair share is refused for a second.
///
/// Time is what decoding took, refused bodies included, and a little for each request. It is summed over a second; the
/// next second's shares follow from it (max-min fairness): an app may use what the others leave, at least an equal part.
final class FairShares: Sendable {
  private struct State {
    /// Nanoseconds used in this second, and in the one before.
    var current: [AppID: Int] = [:]
    var before: [AppID: Int] = [:]
    var second: UInt64 = 0
  }

  private let state = Mutex(State())
  /// Nanoseconds a second that all apps may use together when more than one wants them. The rest is for what is not
  /// measured: receiving, other requests, pages.
  private let capacity: Int

  /// What a request costs beside decoding: its headers, its answer, its place in the journal.
  static let perRequest = 40_000

  /// `threads` work at the same time.
  init(threads: Int) { capacity = threads * 700_000_000 }

  /// Whether an app may send one more request at `now`, in nanoseconds of a clock that never goes back.
  func admits(_ app: AppID, at now: UInt64 = DispatchTime.now().uptimeNanoseconds) -> Bool {
    state.withLock { state in
      Self.turn(&state, to: now / 1_000_000_000)
      let own = state.current[app] ?? 0
      let others = state.before.filter { $0.key != app }
      guard !others.isEmpty else { return true }
      let left = capacity - others.values.reduce(0, +)
      return own <= max(left, capacity / (others.count + 1))
    }
  }

  /// Adds what was used for an app.
  func charge(_ nanoseconds: UInt64, to app: AppID, at now: UInt64 = DispatchTime.now().uptimeNanoseconds) {
    state.withLock { state in
      Self.turn(&state, to: now / 1_000_000_000)
      state.current[app, default: 0] += min(Int(clamping: nanoseconds), 1 << 40) + Self.perRequest
    }
  }

  private static func turn(_ state: inout State, to second: UInt64) {
    guard second != state.second else { return }
    state.before = second == state.second + 1 ? state.current : [:]
    state.current = [:]
    state.second = second
  }
}

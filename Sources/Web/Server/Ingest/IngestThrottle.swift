import Core
import Dispatch
import Ingest
import Storage
import Synchronization

/// The limits of one app, checked at the headers: requests per second, rows and bytes per day, decoding time, and bytes
/// that wait for the journal.
struct IngestThrottle: Sendable {
  let intake: Intake
  let rows: WriteQuota
  let shares = DecodingTimeShares(threads: 2)
  private let rate: RateLimiter

  init(intake: Intake, rows: WriteQuota, requestsPerSecond: Int) {
    self.intake = intake
    self.rows = rows
    rate = RateLimiter(perSecond: requestsPerSecond)
  }

  /// The limit that an app has exceeded at `now`; nil if it may send. `rate`: a limiter that replaces the general one.
  func refusal(of app: AppID, at now: Timestamp, _ rate: RateLimiter? = nil) -> IngestRefusal? {
    if let seconds = (rate ?? self.rate).take(app, at: now) { return .limited(.requests, seconds: seconds) }
    if let (limit, seconds) = rows.spent(app, at: now) { return .limited(limit, seconds: seconds) }
    if !shares.admits(app) { return .limited(.share, seconds: 1) }
    switch intake.room(for: app) {
    case .enough: return nil
    case .appHasTooMuch: return .limited(.unwritten, seconds: 2)
    case .none: return .unavailable(seconds: 5)
    }
  }
}

/// Divides the time of the receiving threads between apps. An app may use all idle time. If several apps need time, an
/// app that uses more than its fair share is refused until the next second.
///
/// The measured time is the decoding time, including refused bodies, plus a constant for each request. Shares are
/// computed from the previous second (max-min fairness): an app may use the time that others left, and at least an
/// equal share.
final class DecodingTimeShares: Sendable {
  private struct State {
    /// Nanoseconds used by each app, in the current second and in the previous one.
    var current: [AppID: Int] = [:]
    var before: [AppID: Int] = [:]
    var second: UInt64 = 0
  }

  private let state = Mutex(State())
  /// Nanoseconds per second that all apps together may use if several need time. The rest is for work that is not
  /// measured: receiving, other requests, pages.
  private let capacity: Int

  /// The cost of a request without decoding, in nanoseconds: its headers, its response and the journal.
  static let perRequest = 40_000

  /// Divides the decoding time of `threads` receiving threads among apps: 70 % of it.
  init(threads: Int) { capacity = threads * 700_000_000 }

  /// Whether an app may send one more request. `now`: nanoseconds of a monotonic clock.
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

  /// Adds the nanoseconds that a request of an app took.
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

import Core
import Dispatch
import Storage
import Synchronization

/// Refreshes the `AccessCache` on a separate thread, so that receiving threads never wait for the control database.
final class AccessCacheRefresher: Sendable {
  private struct State {
    var isRunning = false
    var started: UInt64 = 0
    var waiting: [@Sendable () -> Void] = []
  }

  let cache: AccessCache
  private let queue = DispatchQueue(label: "plumb.access", qos: .userInitiated)
  private let state = Mutex(State())
  /// The maximum number of requests with unknown keys that wait for the database; the rest is answered from the cache.
  private static let limit = 1024

  let backend: any PayloadBackend

  init(_ backend: any PayloadBackend) {
    self.backend = backend
    cache = backend.access
    refreshLater()
  }

  /// Schedules refreshes. Without them, the first request after a quiet period would use an app's old settings.
  private func refreshLater() {
    queue.asyncAfter(deadline: .now() + .seconds(2)) { [weak self] in
      guard let self else { return }
      refreshIfDue(at: backend.now())
      refreshLater()
    }
  }

  /// Whether the control database is available: the last read succeeded, and no read has lasted two seconds.
  var isReadable: Bool {
    guard cache.isReadable else { return false }
    return state.withLock {
      !$0.isRunning || DispatchTime.now().uptimeNanoseconds &- $0.started < 2_000_000_000
    }
  }

  /// Starts a refresh if the last one was a second ago. Called for each request.
  func refreshIfDue(at now: Timestamp) {
    if cache.takeTurn(isKnown: true, at: now) { start(nil) }
  }

  /// Calls `wake` after a refresh, for a key or token that is not in the cache. Returns false without calling it if the
  /// cache was refreshed within the last 50 ms or if too many requests are waiting; the cache then decides.
  func waits(at now: Timestamp, _ wake: @escaping @Sendable () -> Void) -> Bool {
    guard cache.takeTurn(isKnown: false, at: now) || state.withLock({ $0.isRunning }) else { return false }
    return start(wake)
  }

  @discardableResult
  private func start(_ wake: (@Sendable () -> Void)?) -> Bool {
    let (isTaken, starts) = state.withLock { state in
      if let wake {
        guard state.waiting.count < Self.limit else { return (false, false) }
        state.waiting.append(wake)
      }
      defer { state.isRunning = true }
      if !state.isRunning { state.started = DispatchTime.now().uptimeNanoseconds }
      return (true, !state.isRunning)
    }
    if starts { queue.async { self.run() } }
    return isTaken
  }

  private func run() {
    while true {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        return state.waiting
      }
      state.withLock { $0.started = DispatchTime.now().uptimeNanoseconds }
      cache.refresh()
      for wake in waiting { wake() }
      let isDone = state.withLock { state in
        state.isRunning = !state.waiting.isEmpty
        return !state.isRunning
      }
      if isDone { return }
    }
  }
}

import SQLiteStore
import Storage
import Synchronization

/// Counts the changes of each app's numbers by this process. While it digests, no other process changes them.
final class AppChangeCounter: Sendable {
  private let state = Mutex(State())
  private let observers = Mutex<[@Sendable () -> Void]>([])

  struct State {
    var common: UInt64 = 0
    var own: [AppID: UInt64] = [:]
  }

  var current: State { state.withLock { $0 } }

  func note(_ news: StoreNews) {
    state.withLock { state in
      for app in news.apps { state.own[app, default: 0] += 1 }
    }
  }

  /// Notes that any app may have changed.
  func noteAll() {
    state.withLock { $0.common += 1 }
    for observer in observers.withLock({ $0 }) { observer() }
  }

  /// Registers an observer that is called after each `noteAll`.
  func observe(_ observer: @escaping @Sendable () -> Void) { observers.withLock { $0.append(observer) } }
}

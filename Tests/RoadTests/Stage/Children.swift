import Dispatch
import Synchronization
import TestSupport

/// What a test has started and is still held by it.
final class Children: Sendable {
  private struct Weak { weak var child: Child? }
  private let all = Mutex<[Weak]>([])

  func add(_ child: Child) { all.withLock { $0.append(Weak(child: child)) } }

  /// Kills all of them after so many seconds, unless the timer is cancelled before.
  func killAll(after seconds: Int) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + .seconds(seconds))
    timer.setEventHandler { [self] in
      for entry in all.withLock({ $0 }) { entry.child?.abandon() }
    }
    timer.resume()
    return timer
  }
}

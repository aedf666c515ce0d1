import Foundation

/// A duration that is being measured. It counts only if `stop` is called.
public final class Stopwatch: @unchecked Sendable {
  // Invariant: `end` is used with `lock` held.
  private let lock = NSLock()
  private var end: ((TimeInterval) -> Void)?
  private let began: TimeInterval
  private let clock: ClientClock

  /// `end` receives the seconds, once.
  init(clock: ClientClock, end: @escaping (TimeInterval) -> Void) {
    self.clock = clock
    self.end = end
    began = clock.uptime()
  }

  /// Ends the measurement. Only the first call counts.
  public func stop() {
    lock.lock()
    let end = self.end
    self.end = nil
    lock.unlock()
    end?(clock.uptime() - began)
  }
}

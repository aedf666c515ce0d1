import Foundation

/// A duration that is being measured. It counts when `stop` is called, and not at all without.
public final class Stopwatch: @unchecked Sendable {
  // Invariant: `end` is used with `lock` held.
  private let lock = NSLock()
  private var end: ((TimeInterval) -> Void)?
  private let began: TimeInterval
  private let clock: ClientClock

  /// `end` takes seconds, once.
  init(clock: ClientClock, end: @escaping (TimeInterval) -> Void) {
    self.clock = clock
    self.end = end
    began = clock.uptime()
  }

  /// Ends the measurement. The first call counts.
  public func stop() {
    lock.lock()
    let end = self.end
    self.end = nil
    lock.unlock()
    end?(clock.uptime() - began)
  }
}

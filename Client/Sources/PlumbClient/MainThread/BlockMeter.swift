import Foundation

/// Measures how long the main thread works without returning to its run loop. At least one frame is a block
/// (`main_thread.block`), 250 ms or more is a hang.
final class BlockMeter: @unchecked Sendable {
  /// One frame at 60 Hz, in milliseconds.
  static let block = 1000.0 / 60
  /// The shortest hang of Apple's tools and MetricKit, in milliseconds.
  static let hang = 250.0
  /// Seconds. A longer time is not work, because the process was suspended.
  private static let longest: TimeInterval = 60

  // Invariant: all variables are used with `lock` held.
  private let lock = NSLock()
  private var began: TimeInterval?
  private var isActive = true
  private let clock: ClientClock
  private let onBlock: (Double) -> Void

  /// `onBlock` receives milliseconds, on the thread that ends the work.
  init(clock: ClientClock, onBlock: @escaping (Double) -> Void) {
    self.clock = clock
    self.onBlock = onBlock
  }

  /// Notes that the run loop begins to work.
  func begin() {
    lock.lock()
    defer { lock.unlock() }
    began = isActive ? clock.uptime() : nil
  }

  /// Notes that the run loop has nothing more to do.
  func end() {
    lock.lock()
    let start = began
    began = nil
    lock.unlock()
    guard let start else { return }
    let seconds = clock.uptime() - start
    if seconds * 1000 >= Self.block, seconds <= Self.longest { onBlock(seconds * 1000) }
  }

  /// Sets whether blocks are measured. In the background the OS suspends processes during their work, which is not a
  /// block.
  func set(active: Bool) {
    lock.lock()
    defer { lock.unlock() }
    isActive = active
    began = nil
  }

  /// The duration of the current work in seconds; 0 without work.
  var working: TimeInterval {
    lock.lock()
    defer { lock.unlock() }
    return began.map { clock.uptime() - $0 } ?? 0
  }
}

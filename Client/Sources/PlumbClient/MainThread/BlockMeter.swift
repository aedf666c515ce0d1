import Foundation

/// How long the main thread works without returning to its run loop. What lasts at least one frame is a block
/// (`main_thread.block`), what lasts 250 ms and more a hang.
final class BlockMeter: @unchecked Sendable {
  /// One frame at 60 Hz, in milliseconds.
  static let block = 1000.0 / 60
  /// Where Apple's tools and MetricKit begin to speak of a hang, in milliseconds.
  static let hang = 250.0
  /// Seconds. What is longer is no work: the process was stopped.
  private static let longest: TimeInterval = 60

  // Invariant: all variables are used with `lock` held.
  private let lock = NSLock()
  private var began: TimeInterval?
  private var isActive = true
  private let clock: ClientClock
  private let onBlock: (Double) -> Void

  /// `onBlock` takes milliseconds, on the thread that ends the work.
  init(clock: ClientClock, onBlock: @escaping (Double) -> Void) {
    self.clock = clock
    self.onBlock = onBlock
  }

  /// The run loop begins to work.
  func begin() {
    lock.lock()
    defer { lock.unlock() }
    began = isActive ? clock.uptime() : nil
  }

  /// The run loop has nothing more to do.
  func end() {
    lock.lock()
    let start = began
    began = nil
    lock.unlock()
    guard let start else { return }
    let seconds = clock.uptime() - start
    if seconds * 1000 >= Self.block, seconds <= Self.longest { onBlock(seconds * 1000) }
  }

  /// In the background the system stops processes in the middle of their work, which is no block.
  func set(active: Bool) {
    lock.lock()
    defer { lock.unlock() }
    isActive = active
    began = nil
  }

  /// Seconds for which the work that goes on has lasted; 0 without.
  var working: TimeInterval {
    lock.lock()
    defer { lock.unlock() }
    return began.map { clock.uptime() - $0 } ?? 0
  }
}

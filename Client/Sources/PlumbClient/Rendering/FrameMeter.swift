import Foundation

/// Frames during scrolling: how long each was shown, how many were due but not shown, and the milliseconds per second
/// that this cost.
final class FrameMeter: @unchecked Sendable {
  /// The seconds between two frames after which they belong to two scrolls. A main thread that is blocked for longer is
  /// a hang.
  static let gap: TimeInterval = 0.7
  /// The fewest seconds of scrolling for a hitch ratio.
  private static let least: TimeInterval = 0.5

  // Invariant: all variables are used with `lock` held.
  private let lock = NSLock()
  private var last: TimeInterval?
  private var due: TimeInterval = 0
  private var scrolled: TimeInterval = 0
  private var hitches: TimeInterval = 0
  private let buffer: MeasurementBuffer
  private let screen: @Sendable () -> String

  /// `screen`: the label of the visible screen.
  init(buffer: MeasurementBuffer, screen: @escaping @Sendable () -> String) {
    self.buffer = buffer
    self.screen = screen
  }

  /// Adds a frame that is shown at `time` for `duration`, both in seconds.
  func frame(at time: TimeInterval, duration: TimeInterval) {
    lock.lock()
    defer { lock.unlock() }
    guard duration > 0, let last, time > last, time - last <= Self.gap else {
      finishScroll()
      last = time
      due = duration
      return
    }
    let shown = time - last
    let expected = due > 0 ? due : duration
    // A slightly late frame was not dropped. Displays change their rate, and clocks are noisy.
    let dropped = max(0, (shown / expected).rounded() - 1)
    buffer.add(shown * 1000, .frameTime)
    buffer.count(1, .frames, label: screen())
    if dropped > 0 { buffer.count(dropped, .framesDropped, label: screen()) }
    scrolled += shown
    if dropped > 0 { hitches += shown - expected }
    self.last = time
    due = duration
  }

  /// Notes that nothing scrolls any more.
  func finish() {
    lock.lock()
    defer { lock.unlock() }
    finishScroll()
    last = nil
  }

  private func finishScroll() {
    if scrolled >= Self.least { buffer.add(hitches / scrolled * 1000, .hitchRatio, label: screen()) }
    scrolled = 0
    hitches = 0
  }
}

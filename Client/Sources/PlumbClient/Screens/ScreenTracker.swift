import Foundation

/// The visible screens: their load times, and the memory and bytes that they used.
final class ScreenTracker: @unchecked Sendable {
  /// The most screens that are visible at once, such as tabs beside a sidebar. Further ones are not tracked.
  private static let most = 16

  private struct Screen {
    var id: Int
    var name: String
    var began: TimeInterval
    var hasLoaded = false
    var memory: Double = 0
    var bytes: Double = 0
  }

  // Invariant: all variables are used with `lock` held.
  private let lock = NSLock()
  private var screens: [Screen] = []
  private var nextID = 0
  private let buffer: MeasurementBuffer
  private let clock: ClientClock
  private let footprint: @Sendable () -> Double?

  init(
    buffer: MeasurementBuffer, clock: ClientClock,
    footprint: @escaping @Sendable () -> Double? = { MemoryFootprint.bytes() }
  ) {
    self.buffer = buffer
    self.clock = clock
    self.footprint = footprint
  }

  /// Notes that a screen begins to appear. Returns its number.
  func begin(_ name: String) -> Int {
    lock.lock()
    defer { lock.unlock() }
    nextID += 1
    if screens.count < Self.most { screens.append(Screen(id: nextID, name: name, began: clock.uptime())) }
    return nextID
  }

  /// Notes that the screen's content is complete. Only the first call counts.
  func markLoaded(_ id: Int) {
    lock.lock()
    defer { lock.unlock() }
    guard let index = screens.firstIndex(where: { $0.id == id }), !screens[index].hasLoaded else { return }
    screens[index].hasLoaded = true
    buffer.add((clock.uptime() - screens[index].began) * 1000, .screenLoad, label: screens[index].name)
    sample(index)
  }

  /// Notes that the screen is no longer visible.
  func end(_ id: Int) {
    lock.lock()
    defer { lock.unlock() }
    guard let index = screens.firstIndex(where: { $0.id == id }) else { return }
    sample(index)
    let screen = screens.remove(at: index)
    if screen.memory > 0 { buffer.add(screen.memory, .screenMemory, label: screen.name) }
    if screen.bytes > 0 { buffer.add(screen.bytes, .screenBytes, label: screen.name) }
  }

  /// Reads the memory of the process. A screen's memory is the maximum while it was visible.
  func sampleMemory() {
    lock.lock()
    defer { lock.unlock() }
    for index in screens.indices { sample(index) }
  }

  /// Adds bytes that were received while the current screens were visible.
  func received(bytes: Double) {
    guard bytes > 0, bytes <= 1e15 else { return }
    lock.lock()
    defer { lock.unlock() }
    for index in screens.indices { screens[index].bytes += bytes }
  }

  /// The screen that appeared last; empty without one.
  var top: String {
    lock.lock()
    defer { lock.unlock() }
    return screens.last?.name ?? ""
  }

  private func sample(_ index: Int) {
    if let bytes = footprint() { screens[index].memory = max(screens[index].memory, bytes) }
  }
}

/// The visit of a screen, until `end` is called or the last reference is released.
public final class ScreenVisit: @unchecked Sendable {
  private let id: Int
  // Invariant: set only by `init`. The tracker has its own lock.
  private weak var tracker: ScreenTracker?

  init(_ tracker: ScreenTracker, _ name: String) {
    self.tracker = tracker
    id = tracker.begin(name)
  }

  /// Notes that the content is complete. The time since the beginning is `screen.load`. Only the first call counts.
  public func markLoaded() { tracker?.markLoaded(id) }

  /// Ends the visit and measures `memory.screen` and `network.screen_bytes`.
  public func end() { tracker?.end(id) }

  deinit { tracker?.end(id) }
}

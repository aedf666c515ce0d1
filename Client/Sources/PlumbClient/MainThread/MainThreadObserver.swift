#if canImport(Darwin)
  import CoreFoundation
  import Foundation

  /// Tells a meter when the main run loop works.
  final class MainThreadObserver {
    private var observers: [CFRunLoopObserver] = []

    /// Call on the main thread.
    init(_ meter: BlockMeter) {
      // First of all observers where work begins, last where it ends: layout and Core Animation's commit are work of
      // observers before the run loop waits.
      observe([.entry, .afterWaiting, .beforeTimers], order: .min) {
        // A loop that finds work at once does not wait in between: each turn is work of its own.
        meter.end()
        meter.begin()
      }
      observe([.beforeWaiting, .exit], order: .max) { meter.end() }
    }

    private func observe(_ activities: CFRunLoopActivity, order: Int, _ body: @escaping () -> Void) {
      let observer = CFRunLoopObserverCreateWithHandler(nil, activities.rawValue, true, order) { _, _ in body() }
      guard let observer else { return }
      CFRunLoopAddObserver(CFRunLoopGetMain(), observer, .commonModes)
      observers.append(observer)
    }

    deinit {
      for observer in observers { CFRunLoopObserverInvalidate(observer) }
    }
  }
#endif

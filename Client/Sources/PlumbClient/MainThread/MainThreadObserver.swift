#if canImport(Darwin)
  import CoreFoundation
  import Foundation

  /// Notifies a meter when the main run loop works.
  final class MainThreadObserver {
    private var observers: [CFRunLoopObserver] = []

    /// Call on the main thread.
    init(_ meter: BlockMeter) {
      // The first observer when work begins, the last when it ends. Layout and Core Animation's commit run in observers
      // before the run loop waits.
      observe([.entry, .afterWaiting, .beforeTimers], order: .min) {
        // A loop that finds work immediately does not wait. Each turn is then separate work.
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

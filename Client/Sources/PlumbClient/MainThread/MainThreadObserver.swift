#if canImport(Darwin)
  import CoreFoundation
  import Foundation

  /// Tells a meter when the main run loop works.
  final class MainThreadObserver {
    private var observer: CFRunLoopObserver?

    /// Call on the main thread.
    init(_ meter: BlockMeter) {
      let activities: CFRunLoopActivity = [.entry, .beforeTimers, .beforeWaiting, .afterWaiting, .exit]
      observer = CFRunLoopObserverCreateWithHandler(nil, activities.rawValue, true, 0) { _, activity in
        switch activity {
        case .beforeWaiting, .exit: meter.end()
        default:
          // A loop that finds work at once does not wait in between: each turn is work of its own.
          meter.end()
          meter.begin()
        }
      }
      CFRunLoopAddObserver(CFRunLoopGetMain(), observer, .commonModes)
    }

    deinit {
      if let observer { CFRunLoopObserverInvalidate(observer) }
    }
  }
#endif

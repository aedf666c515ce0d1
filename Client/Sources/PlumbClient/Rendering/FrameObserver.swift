#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import QuartzCore
  import UIKit

  /// Sends frames to a meter while a person scrolls. The display link is only in the run loop's tracking mode, so that
  /// it costs nothing and keeps no display awake while nothing moves.
  final class FrameObserver: NSObject {
    private let meter: FrameMeter
    private var link: CADisplayLink?
    private var idle: CFRunLoopObserver?

    /// Call on the main thread.
    init(_ meter: FrameMeter) {
      self.meter = meter
      super.init()
      let link = CADisplayLink(target: self, selector: #selector(frame(_:)))
      link.add(to: .main, forMode: .tracking)
      self.link = link
      // Between two scrolls the run loop is in its default mode. That time is not a hitch.
      let idle = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.entry.rawValue, true, 0) { _, _ in
        meter.finish()
      }
      CFRunLoopAddObserver(CFRunLoopGetMain(), idle, .defaultMode)
      self.idle = idle
    }

    @objc private func frame(_ link: CADisplayLink) {
      meter.frame(at: link.timestamp, duration: link.targetTimestamp - link.timestamp)
    }
  }
#endif

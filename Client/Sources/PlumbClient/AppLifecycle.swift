#if canImport(UIKit) || canImport(AppKit)
  import Foundation

  #if os(watchOS)
    import WatchKit
  #elseif canImport(UIKit)
    import UIKit
  #else
    import AppKit
  #endif

  /// Notifies the client when the app enters or leaves the foreground. It only uses names of notifications, which app
  /// extensions may also use.
  final class AppLifecycle {
    private var tokens: [NSObjectProtocol] = []

    /// Call on the main thread.
    init(_ client: VitalsClient) {
      #if os(watchOS)
        observe(WKExtension.applicationDidBecomeActiveNotification) { client.enterForeground() }
        observe(WKExtension.applicationDidEnterBackgroundNotification) { client.enterBackground() }
      #elseif canImport(UIKit)
        observe(UIApplication.didBecomeActiveNotification) { client.enterForeground() }
        observe(UIApplication.didEnterBackgroundNotification) { client.enterBackground() }
        observe(UIApplication.willTerminateNotification) { client.endSession() }
      #else
        // An app on a Mac counts as in the foreground while it runs.
        observe(NSApplication.didBecomeActiveNotification) { client.enterForeground() }
        observe(NSApplication.willTerminateNotification) { client.endSession() }
      #endif
    }

    private func observe(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
      tokens.append(NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in body() })
    }

    deinit {
      for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
  }
#endif

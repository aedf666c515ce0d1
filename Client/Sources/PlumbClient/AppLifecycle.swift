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
        observe(WKExtension.applicationDidBecomeActiveNotification) { client.entersForeground() }
        observe(WKExtension.applicationDidEnterBackgroundNotification) { client.entersBackground() }
      #elseif canImport(UIKit)
        observe(UIApplication.didBecomeActiveNotification) { client.entersForeground() }
        observe(UIApplication.didEnterBackgroundNotification) { client.entersBackground() }
        observe(UIApplication.willTerminateNotification) { client.ends() }
      #else
        // An app on a Mac counts as in the foreground while it runs.
        observe(NSApplication.didBecomeActiveNotification) { client.entersForeground() }
        observe(NSApplication.willTerminateNotification) { client.ends() }
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

#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import UIKit

  /// Notifies the client when the app enters or leaves the foreground.
  final class AppLifecycle {
    private var tokens: [NSObjectProtocol] = []

    /// Call on the main thread.
    init(_ client: VitalsClient) {
      observe(UIApplication.didBecomeActiveNotification) { client.entersForeground() }
      observe(UIApplication.didEnterBackgroundNotification) { client.entersBackground() }
      observe(UIApplication.willTerminateNotification) { client.ends() }
    }

    private func observe(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
      tokens.append(NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in body() })
    }

    deinit {
      for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
  }
#elseif canImport(AppKit)
  import AppKit
  import Foundation

  /// Notifies the client when the app starts and ends. An app on a Mac counts as in the foreground while it runs.
  final class AppLifecycle {
    private var tokens: [NSObjectProtocol] = []

    /// Call on the main thread.
    init(_ client: VitalsClient) {
      observe(NSApplication.didBecomeActiveNotification) { client.entersForeground() }
      observe(NSApplication.willTerminateNotification) { client.ends() }
    }

    private func observe(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
      tokens.append(NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in body() })
    }

    deinit {
      for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
  }
#endif

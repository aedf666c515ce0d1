#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import UIKit

  /// Tells the client when the app is seen.
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

  /// Tells the client when the app begins and ends. A Mac's apps are seen while they run.
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

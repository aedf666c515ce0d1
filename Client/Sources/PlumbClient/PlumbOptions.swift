import Foundation

/// What the client sends, and what it may use. The defaults suit an app in the App Store.
public struct PlumbOptions: Sendable {
  /// `production`, `testflight` or a name of the app's own; nil for what the receipt and the build tell.
  public var environment: String?
  /// Properties of the app's own, such as `["experiment": "new-cart"]`. The server keeps the one that the app's attribute
  /// is called like.
  public var attributes: [String: String] = [:]
  /// Who the user of a session is.
  public var installation = InstallationID.random
  /// Sends sessions, and how they ended.
  public var sendsSessions = true
  /// Notes a signal that ends the process, so that the next launch knows of the crash. The handler that was there
  /// before gets the signal, too: start other crash reporters first.
  public var notesCrashSignals = true
  /// Sends MetricKit's payloads.
  public var sendsMetricKit = true
  /// Measures blocks of the main thread, and hangs.
  public var measuresMainThread = true
  /// Measures frames while a person scrolls. iOS only.
  public var measuresFrames = true
  /// Uploads while the app is suspended, too.
  public var uploadsInBackground = true
  /// Uploads over cellular networks.
  public var allowsCellular = true
  /// What files that wait may use of the disk.
  public var limits = QueueLimits()
  /// Where they wait; nil for a folder in Application Support, which is in no backup.
  public var folder: URL?

  /// The defaults.
  public init() {}
}

public import Foundation

/// The data that the client sends and the resources that it may use. The defaults suit an app in the App Store.
public struct PlumbOptions: Sendable {
  /// Whether a person must agree before data leaves the device. ``Plumb/setConsent(_:)`` stores the decision.
  public var consent = ConsentRequirement.notRequired
  /// The share of installations that send data, from 0 to 1, in steps of 1/10,000. Each installation is drawn once, and
  /// sends everything or nothing. Rates stay unbiased; numbers of sessions and users are those of the sample.
  public var sampleRate = 1.0
  /// `production`, `testflight` or a custom name; nil to use the receipt and the build.
  public var environment: String?
  /// The app's attributes, such as `["experiment": "new-cart"]`. The server keeps the one with the name of the app's
  /// attribute.
  public var attributes: [String: String] = [:]
  /// The id of a session's user.
  public var installation = InstallationID.random
  /// Whether sessions and their outcomes are sent.
  public var sendsSessions = true
  /// Whether a signal that ends the process is noted, so that the next launch can report the crash. The previous
  /// handler also gets the signal, so start other crash reporters first.
  public var notesCrashSignals = true
  /// Whether MetricKit's payloads are sent.
  public var sendsMetricKit = true
  /// Whether blocks and hangs of the main thread are measured.
  public var measuresMainThread = true
  /// Whether frames are measured while a person scrolls. iOS only.
  public var measuresFrames = true
  /// Whether uploads continue while the app is suspended.
  public var uploadsInBackground = true
  /// Whether uploads use cellular networks.
  public var allowsCellular = true
  /// The disk space for waiting files.
  public var limits = QueueLimits()
  /// The folder of waiting files; nil for a folder in Application Support that is excluded from backups.
  public var folder: URL?

  /// The defaults.
  public init() {}
}

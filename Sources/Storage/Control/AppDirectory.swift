public import Core

/// The store of apps and their ingest keys.
public protocol AppDirectory: Sendable {
  /// Every app with its keys, in the order in which they were added.
  func apps() throws -> [App]
  /// The app with this bundle identifier; nil when there is none.
  func app(bundleID: String) throws -> App?
  /// Adds an app with its first key. Throws `ControlError` if the app or the key exists or is malformed.
  func addApp(bundleID: String, settings: AppSettings, key: String, at now: Timestamp) throws -> App
  /// Replaces an app's settings.
  func changeSettings(of app: AppID, to settings: AppSettings) throws
  /// Replaces an app's icon; nil removes it. Throws `ControlError.invalid` unless it is an `AppIcon`.
  func changeIcon(of app: AppID, to png: [UInt8]?) throws
  /// The bytes of an app's icon, a PNG; nil without one.
  func icon(of app: AppID) throws -> [UInt8]?
  /// Adds a key. Older keys expire `overlapDays` days after `now`, unless they expire earlier.
  func rotateKey(of app: AppID, to key: String, at now: Timestamp, overlapDays: Int) throws -> App
  /// Removes the app and its keys. Its data stays until it expires; its id is not reused.
  func removeApp(_ app: AppID) throws
}

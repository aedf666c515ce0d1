public import Core

/// The id of an app in stored rows. It is never reused, even after the app is removed.
public typealias AppID = Int32

/// An app whose devices send payloads.
public struct App: Sendable, Hashable, Identifiable {
  /// The id by which stored rows refer to the app.
  public let id: AppID
  /// The bundle identifier, such as `com.example.shop`.
  public var bundleID: String
  /// The app's name on pages and in messages.
  var displayName: String { settings.title ?? bundleID }
  /// The time at which the app was added to Plumb.
  public var created: Timestamp
  /// The settings of the app, which the team can change.
  public var settings: AppSettings
  /// The ingest keys of the app, newest first. There is more than one while a rotation overlaps.
  public var keys: [IngestKey]

  /// Creates an app from its stored values.
  public init(
    id: AppID, bundleID: String, created: Timestamp, settings: AppSettings = .init(), keys: [IngestKey] = []
  ) {
    self.id = id
    self.bundleID = bundleID
    self.created = created
    self.settings = settings
    self.keys = keys
  }

  /// Whether `text` can be a bundle identifier: 1 to 155 letters, digits, hyphens, underscores and dots.
  public static func isBundleID(_ text: String) -> Bool {
    guard (1...155).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "-") else { return false }
    let separators = [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")]
    return text.utf8.contains { $0 != UInt8(ascii: ".") }
      && text.utf8.allSatisfy { byte in
        separators.contains(byte) || (48...57).contains(byte) || (97...122).contains(byte | 0x20)
      }
  }
}

extension App {
  /// The DSN for Sentry's SDKs: the server's URL with the key as its user and the app's id as its path.
  public func dsn(key: String, at url: String) -> String {
    guard let end = url.firstRange(of: "://")?.upperBound else { return "\(url)/\(id)" }
    return "\(url[..<end])\(key)@\(url[end...])/\(id)"
  }
}

/// An ingest key. It ships inside an app and only permits sending the app's data.
public struct IngestKey: Sendable, Hashable {
  /// The key: 32 lower-case hexadecimal digits.
  public let key: String
  /// The only app the key is valid for.
  public let app: AppID
  /// The time at which the key was created.
  public var created: Timestamp
  /// The time from which the key is refused; nil if it does not expire.
  public var retires: Timestamp?

  /// Creates a key from its stored values.
  public init(key: String, app: AppID, created: Timestamp, retires: Timestamp? = nil) {
    self.key = key
    self.app = app
    self.created = created
    self.retires = retires
  }

  /// The default number of days for which an old key remains valid after a rotation. It is long because installed apps
  /// update slowly.
  public static let defaultOverlapDays = 14

  /// Whether the key is valid at `now`.
  public func isValid(at now: Timestamp) -> Bool { retires.map { now < $0 } ?? true }
}

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

/// The settings of an app.
public struct AppSettings: Sendable, Hashable {
  /// The IANA name of the time zone in which the app's days begin: `UTC`, `Europe/Berlin`.
  public var timeZone: String
  /// Whether the free text of exceptions is stored. It may contain personal data.
  public var keepsExceptionText: Bool
  /// The app's own binaries whose names are also names of Apple's; sorted and unique.
  public var ownBinaries: [String]
  /// The app's title; nil if its bundle identifier is shown.
  public var title: String?
  /// A hash of the icon's bytes; nil without an icon. It changes with the icon, not with the other settings.
  public var iconTag: String?
  /// The template of URLs in the team's tracker, which `TicketTemplate` parses; nil if not set.
  public var ticketURL: String?
  /// The names of the app's attributes, such as `experiment`; sorted and unique, at most `AppAttribute.mostOfApp`.
  public var attributes: [String]

  /// Creates settings. The defaults are days in UTC and no free text.
  public init(
    timeZone: String = "UTC", keepsExceptionText: Bool = false, ownBinaries: [String] = [], title: String? = nil,
    iconTag: String? = nil, ticketURL: String? = nil, attributes: [String] = []
  ) {
    self.timeZone = timeZone
    self.keepsExceptionText = keepsExceptionText
    self.ownBinaries = ownBinaries
    self.title = title
    self.iconTag = iconTag
    self.ticketURL = ticketURL
    self.attributes = attributes
  }

  /// The maximum length of a title, in characters.
  public static let longestTitle = 80

  /// Whether `text` can be a title: 1 to 80 characters on one line, without invisible characters and marks of writing
  /// direction.
  public static func isTitle(_ text: String) -> Bool {
    (1...longestTitle).contains(text.count) && text.utf8.count <= 4 * longestTitle && text.first != " "
      && text.last != " " && CleanText.name(text, atMost: 4 * longestTitle) == text
  }

  /// The maximum number of own binaries of an app.
  public static let mostOwnBinaries = 100
  /// The maximum length of a binary's name, in bytes.
  static let longestBinaryName = 200

  /// Whether an executable or library can have this name.
  public static func isBinaryName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= longestBinaryName && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
      && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(UInt8(ascii: ","))
  }
}

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

extension App {
  /// The DSN for Sentry's SDKs: the server's URL with the key as its user and the app's id as its path.
  public func dsn(key: String, at url: String) -> String {
    guard let end = url.firstRange(of: "://")?.upperBound else { return "\(url)/\(id)" }
    return "\(url[..<end])\(key)@\(url[end...])/\(id)"
  }
}

public import Core

/// The id of an app in stored rows. It is never reused, even after the app is removed.
public typealias AppID = Int32

/// An app whose devices send payloads.
public struct App: Sendable, Hashable, Identifiable {
  /// The id by which stored rows refer to the app.
  public let id: AppID
  /// The bundle identifier, such as `com.example.shop`.
  public var bundleID: String
  /// What pages and messages call the app.
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
  /// The app's own binaries with a name that one of Apple's has, too; sorted, without repetitions.
  public var ownBinaries: [String]
  /// What people call the app; nil to show its bundle identifier.
  public var title: String?
  /// A hash of the icon's bytes; nil without one. Changed with the icon, not with the other settings.
  public var iconTag: String?
  /// The template of addresses in the team's tracker, as `TicketTemplate` reads it; nil without one.
  public var ticketURL: String?
  /// The name of the attribute by which the app's data are distinguished, such as `experiment`; nil for none.
  public var attribute: String?

  /// Creates settings. The defaults are days in UTC and no free text.
  public init(
    timeZone: String = "UTC", keepsExceptionText: Bool = false, ownBinaries: [String] = [], title: String? = nil,
    iconTag: String? = nil, ticketURL: String? = nil, attribute: String? = nil
  ) {
    self.timeZone = timeZone
    self.keepsExceptionText = keepsExceptionText
    self.ownBinaries = ownBinaries
    self.title = title
    self.iconTag = iconTag
    self.ticketURL = ticketURL
    self.attribute = attribute
  }

  /// The longest title, in characters.
  public static let longestTitle = 80

  /// Whether people can call an app so: 1 to 80 characters on one line, none of them invisible or a mark that turns the
  /// direction of writing.
  public static func isTitle(_ text: String) -> Bool {
    (1...longestTitle).contains(text.count) && text.utf8.count <= 4 * longestTitle && text.first != " "
      && text.last != " " && CleanText.name(text, atMost: 4 * longestTitle) == text
  }

  /// The most own binaries of an app.
  public static let mostOwnBinaries = 100
  /// The longest name of a binary, in bytes.
  static let longestBinaryName = 200

  /// Whether an executable or library can have this name.
  public static func isBinaryName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= longestBinaryName && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
      && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(UInt8(ascii: ","))
  }
}

/// An ingest key, which ships inside an app and only permits sending its data.
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

  /// The default number of days for which an old key remains valid after a rotation, because installed apps update
  /// slowly.
  public static let defaultOverlapDays = 14

  /// Whether the key is valid at `now`.
  public func isValid(at now: Timestamp) -> Bool { retires.map { now < $0 } ?? true }
}

/// Stores the apps and their ingest keys.
public protocol AppDirectory: Sendable {
  /// Every app with its keys, in the order in which they were added.
  func apps() throws -> [App]
  /// The app with this bundle identifier; nil when there is none.
  func app(bundleID: String) throws -> App?
  /// Adds an app with its first key. Throws `ControlError` if the app or key exists or is malformed.
  func addApp(bundleID: String, settings: AppSettings, key: String, at now: Timestamp) throws -> App
  /// Replaces an app's settings.
  func changeSettings(of app: AppID, to settings: AppSettings) throws
  /// Replaces an app's icon; nil removes it. Throws `ControlError.invalid` unless it is an `AppIcon`.
  func changeIcon(of app: AppID, to png: [UInt8]?) throws
  /// The bytes of an app's icon, a PNG; nil without one.
  func icon(of app: AppID) throws -> [UInt8]?
  /// Adds a key. Older keys expire `overlapDays` days after `now`, unless they expire earlier.
  func rotateKey(of app: AppID, to key: String, at now: Timestamp, overlapDays: Int) throws -> App
  /// Removes the app and its keys. Its data stays until it is pruned; its id is not reused.
  func removeApp(_ app: AppID) throws
}

extension App {
  /// The DSN for Sentry's SDKs: the server's URL with the key as its user and the app's id as its path.
  public func dsn(key: String, at url: String) -> String {
    guard let end = url.firstRange(of: "://")?.upperBound else { return "\(url)/\(id)" }
    return "\(url[..<end])\(key)@\(url[end...])/\(id)"
  }
}

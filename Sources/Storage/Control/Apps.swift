public import Telemetry

/// The number of an app in stored rows. It is never given to another app, even after the app was removed.
public typealias AppID = Int32

/// An app whose devices send payloads.
public struct App: Sendable, Hashable, Identifiable {
  /// The number by which stored rows refer to it.
  public let id: AppID
  /// `com.example.shop`
  public var bundleID: String
  /// When it was added.
  public var created: Timestamp
  /// What the team chose.
  public var settings: AppSettings
  /// Keys that may send for it, the newest first. More than one while a rotation overlaps.
  public var keys: [IngestKey]

  /// An app as it is stored.
  public init(
    id: AppID, bundleID: String, created: Timestamp, settings: AppSettings = .init(), keys: [IngestKey] = []
  ) {
    self.id = id
    self.bundleID = bundleID
    self.created = created
    self.settings = settings
    self.keys = keys
  }

  /// Whether `text` can be a bundle identifier: letters, digits, hyphens, underscores and dots, at most 155.
  public static func isBundleID(_ text: String) -> Bool {
    guard (1...155).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "-") else { return false }
    let separators = [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")]
    return text.utf8.contains { $0 != UInt8(ascii: ".") }
      && text.utf8.allSatisfy { byte in
        separators.contains(byte) || (48...57).contains(byte) || (97...122).contains(byte | 0x20)
      }
  }
}

/// What a team may choose for an app.
public struct AppSettings: Sendable, Hashable {
  /// The IANA name of the zone whose midnight begins the app's day: `UTC`, `Europe/Berlin`.
  public var timeZone: String
  /// Whether the free text of exceptions, which may hold personal data, is stored.
  public var keepsExceptionText: Bool
  /// Names of the app's own binaries that are called like ones of Apple's, sorted, each once.
  public var ownBinaries: [String]

  /// The defaults: days in UTC, no free text, no binary that is called like one of Apple's.
  public init(timeZone: String = "UTC", keepsExceptionText: Bool = false, ownBinaries: [String] = []) {
    self.timeZone = timeZone
    self.keepsExceptionText = keepsExceptionText
    self.ownBinaries = ownBinaries
  }

  /// The most binaries that may be named, and the bytes of a name.
  public static let mostOwnBinaries = 100
  public static let longestBinaryName = 200

  /// Whether an executable or library can have this name.
  public static func isBinaryName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= longestBinaryName && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
      && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(UInt8(ascii: ","))
  }
}

/// A key that ships inside an app and may only write, for one app.
public struct IngestKey: Sendable, Hashable {
  /// 32 lower-case hexadecimal digits.
  public let key: String
  /// The only app it may write for.
  public let app: AppID
  /// When it was made.
  public var created: Timestamp
  /// From this moment the key is refused; nil for a key without an end.
  public var retires: Timestamp?

  /// A key as it is stored.
  public init(key: String, app: AppID, created: Timestamp, retires: Timestamp? = nil) {
    self.key = key
    self.app = app
    self.created = created
    self.retires = retires
  }

  /// How long an old key keeps working after a rotation by default: installed apps update slowly.
  public static let defaultOverlapDays = 14

  /// Whether the key may write at `now`.
  public func isValid(at now: Timestamp) -> Bool { retires.map { now < $0 } ?? true }
}

/// The apps of a data folder and their ingest keys.
public protocol AppDirectory: Sendable {
  /// Every app with its keys, in the order in which they were added.
  func apps() throws -> [App]
  /// The app called `bundleID`; nil when there is none.
  func app(bundleID: String) throws -> App?
  /// Adds an app with its first key. Throws `ControlError` when the app or key exists or is not well-formed.
  func addApp(bundleID: String, settings: AppSettings, key: String, at now: Timestamp) throws -> App
  /// Replaces what the team chose.
  func changeSettings(of app: AppID, to settings: AppSettings) throws
  /// Adds a key. Keys without an end, and those that would outlast it, retire `overlapDays` days after `now`.
  func rotateKey(of app: AppID, to key: String, at now: Timestamp, overlapDays: Int) throws -> App
  /// Removes the app and its keys. What was measured stays until it is pruned; its number is not used again.
  func removeApp(_ app: AppID) throws
}

extension App {
  /// The DSN for Sentry's SDKs: the server's address with the key as its user and the app's number as its path.
  public func dsn(key: String, at url: String) -> String {
    guard let end = url.firstRange(of: "://")?.upperBound else { return "\(url)/\(id)" }
    return "\(url[..<end])\(key)@\(url[end...])/\(id)"
  }
}

public import Core
import Foundation

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
  /// The name of the app's attribute, such as `experiment`; nil if not set.
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

/// A time zone of the IANA database, in which an app's days begin.
public struct AppTimeZone: Sendable, Hashable {
  /// The IANA name, such as `Europe/Berlin`.
  let name: String
  private let zone: TimeZone

  /// Nil if the system's time zone database does not have the name.
  public init?(name: String) {
    // Foundation also accepts abbreviations (`CET`, `PST`), some of which are ambiguous.
    guard name == "UTC" || name.utf8.contains(UInt8(ascii: "/")), let zone = TimeZone(identifier: name) else {
      return nil
    }
    self.name = name
    self.zone = zone
  }

  /// The offset at `instant` in seconds ahead of UTC, including daylight saving time.
  public func utcOffsetSeconds(at instant: Timestamp) -> Int {
    zone.secondsFromGMT(for: Self.date(instant))
  }

  /// The zone's offsets from three years before `now`, which exceeds every retention period, to a week after it.
  public func clock(around now: Timestamp) -> LocalClock {
    let first = Timestamp(milliseconds: now.milliseconds - 3 * 366 * 86_400_000)
    let last = Self.date(now).addingTimeInterval(7 * 86_400)
    var clock = LocalClock(utcOffsetSeconds: utcOffsetSeconds(at: first))
    var date = Self.date(first)
    while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next <= last {
      let instant = Timestamp(milliseconds: Int64(next.timeIntervalSince1970 * 1000))
      clock.changes.append(LocalClock.Change(at: instant, utcOffsetSeconds: utcOffsetSeconds(at: instant)))
      date = next
    }
    return clock
  }

  private static func date(_ instant: Timestamp) -> Date {
    Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
  }
}

/// The rules for an app's icon: a complete, small PNG (W3C, Portable Network Graphics).
public enum AppIcon {
  /// The maximum size of an icon, in bytes.
  public static let mostBytes = 64 * 1024
  /// The maximum width and height in pixels.
  static let longestSide = 1024

  /// The reason why `bytes` cannot be an icon, in one sentence; nil if they can.
  public static func fault(of bytes: [UInt8]) -> String? {
    guard bytes.count <= mostBytes else {
      return "The icon has \(bytes.count) bytes; the limit is \(mostBytes). 180 × 180 pixels are enough."
    }
    guard bytes.starts(with: signature) else { return "The icon is not a PNG file." }
    guard let chunks = chunks(bytes), chunks.first?.type == "IHDR", chunks.last?.type == "IEND",
      chunks.contains(where: { $0.type == "IDAT" }), let header = chunks.first?.data, header.count == 13
    else { return "The icon is an incomplete PNG file." }
    let (width, height) = (number(header.prefix(4)), number(header.dropFirst(4).prefix(4)))
    guard (1...longestSide).contains(width), (1...longestSide).contains(height) else {
      return "The icon has \(width) × \(height) pixels; the limit is \(longestSide) per side."
    }
    return nil
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The chunks of a PNG; nil if the last one is truncated or anything follows `IEND`.
  private static func chunks(_ bytes: [UInt8]) -> [(type: String, data: ArraySlice<UInt8>)]? {
    var found: [(type: String, data: ArraySlice<UInt8>)] = []
    var rest = bytes.dropFirst(signature.count)
    while !rest.isEmpty {
      // Each chunk has a length, a type and a checksum.
      guard rest.count >= 12, found.last?.type != "IEND" else { return nil }
      let length = number(rest.prefix(4))
      guard length <= rest.count - 12 else { return nil }
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      found.append((type, rest.dropFirst(8).prefix(length)))
      rest = rest.dropFirst(12 + length)
    }
    return found
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

/// The store of App Store Connect's figures.
public protocol AppStoreFigures: Sendable {
  /// The figures of an app, ordered by key; versions are in Apple's order.
  func appStoreFigures(of app: AppID) throws -> [AppStoreFigure]

  /// Stores figures and replaces those with the same keys. Beyond `AppStoreFigureLimits.most` per app, the figures
  /// stored first are deleted.
  func keep(_ figures: [AppStoreFigure], of app: AppID, at now: Timestamp) throws
}

public enum AppStoreFigureLimits {
  /// The maximum number of figures per app.
  public static let most = 50_000
}

import Core

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
      && text.last != " " && SanitizedText.name(text, atMost: 4 * longestTitle) == text
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

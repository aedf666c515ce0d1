public import Core

/// The store of notes about groups, with their owners.
public protocol GroupNotes: Sendable {
  /// The notes by group fingerprint.
  func groupNotes(of app: AppID) throws -> [UInt64: GroupNote]

  /// Stores a note. It replaces the group's note and the notes of `replaced`, the groups that were merged into it. An
  /// empty note only deletes them. The author is the store's current actor.
  func setNote(_ note: GroupNote, of app: AppID, group fingerprint: UInt64, replacing replaced: [UInt64]) throws
}

/// A note about a group, and the group's owner.
public struct GroupNote: Sendable, Equatable {
  /// The person or team responsible for the group; empty if not set.
  public var owner: String
  /// The text, of one or more lines; empty if not set.
  public var text: String
  /// The last author: a user, a token, or a user of the machine; empty until it is stored.
  public var author: String
  public var changed: Timestamp

  /// The maximum length of an owner, in Unicode scalars.
  public static let longestOwner = 100
  /// The maximum length of a text, in Unicode scalars.
  public static let longestText = 2_000

  public init(owner: String, text: String, author: String = "", changed: Timestamp) {
    self.owner = owner
    self.text = text
    self.author = author
    self.changed = changed
  }

  public var isEmpty: Bool { owner.isEmpty && text.isEmpty }

  /// Creates a note from typed text: trimmed, without characters that control a terminal or reverse text. Throws
  /// `ControlError.invalid` if it is too long; it is not cut.
  public init(typedOwner owner: String, text: String, changed: Timestamp) throws(ControlError) {
    let owner = SanitizedText.name(owner, atMost: .max >> 8)
    let lines = Array(text.replacing("\r\n", with: "\n").utf8)
    let text = lines.withUnsafeBufferPointer { SanitizedText.lines($0, atMost: .max >> 8) }
    self.init(owner: Self.trimmed(owner), text: Self.trimmed(text), changed: changed)
    try Self.check("owner", self.owner, Self.longestOwner)
    try Self.check("note", self.text, Self.longestText)
  }

  private static func check(_ name: String, _ text: String, _ most: Int) throws(ControlError) {
    let count = text.unicodeScalars.count
    guard count <= most else {
      throw .invalid("\(name): expected at most \(most) characters, found \(count).")
    }
  }

  private static func trimmed(_ text: String) -> String {
    let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    let scalars = text.unicodeScalars.drop(while: isSpace)
    guard let last = scalars.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(String.UnicodeScalarView(scalars[...last]))
  }
}

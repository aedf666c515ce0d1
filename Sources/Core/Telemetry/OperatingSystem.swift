/// An operating system with version and build, such as `iOS 17.4.1 (21E236)`.
public struct OperatingSystem: Hashable, Sendable {
  public var name: String
  public var version: String
  public var build: String

  public init(name: String, version: String, build: String = "") {
    self.name = name
    self.version = version
    self.build = build
  }

  /// Parses `iPhone OS 17.4.1 (21E236)` or `iOS 17.4.1`; "iPhone OS" becomes iOS. Any other text becomes the name.
  public init(parsing text: String) {
    var rest = text[...]
    var build = ""
    if rest.utf8.last == UInt8(ascii: ")"), let space = rest.utf8.lastIndex(of: UInt8(ascii: " ")) {
      let word = rest[rest.utf8.index(after: space)...]
      if word.utf8.first == UInt8(ascii: "("), space != rest.startIndex {
        build = String(word.dropFirst().dropLast())
        rest = Self.trimmed(rest[..<space])
      }
    }
    var version = ""
    if let space = rest.utf8.lastIndex(of: UInt8(ascii: " ")), space != rest.startIndex {
      let word = rest[rest.utf8.index(after: space)...]
      if let first = word.utf8.first, (48...57).contains(first) {
        version = String(word)
        rest = Self.trimmed(rest[..<space])
      }
    }
    self.init(name: rest == "iPhone OS" ? "iOS" : String(rest), version: version, build: build)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.utf8.last == UInt8(ascii: " ") { text = text[..<text.utf8.index(before: text.endIndex)] }
    return text
  }

  /// The OS name and version, such as `iOS 17.4.1`.
  public var title: String { version.isEmpty ? name : "\(name) \(version)" }
}

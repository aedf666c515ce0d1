/// A team's custom property for splitting its app's data: an experiment, a feature flag, a flavour or a region. It adds
/// to release, OS version and device. An app has at most `mostOfApp`; its settings name them.
public struct AppAttribute: Hashable, Sendable {
  /// The name in the app's settings at the time when the value was received: `experiment`.
  public let name: String
  /// The value, cleaned like other names: `new-cart`.
  public let value: String

  /// The maximum length of a value, in bytes of UTF-8. Longer values are cut.
  public static let longestValue = 100
  /// The maximum length of a name, in bytes.
  public static let longestName = 64
  /// The maximum number of attributes of an app.
  public static let mostOfApp = 5

  /// Nil for an empty value and for a name that app settings do not allow.
  public init?(name: String, value: String) {
    // Surrounding spaces would be invisible, and a filter could not select them.
    let whole = Self.trimmed(SanitizedText.name(value, atMost: .max >> 8))
    let clean = Self.trimmed(SanitizedText.name(whole, atMost: Self.longestValue))
    guard Self.isName(name), !clean.isEmpty else { return nil }
    self.name = name
    self.value = clean
  }

  /// Whether an attribute can have this name: a letter, then letters, digits, dots, hyphens and underscores.
  public static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= longestName else { return false }
    return text.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) || ".-_".utf8.contains($0) }
  }

  private static func trimmed(_ text: String) -> String {
    let isLetter = { (byte: UInt8) in byte != UInt8(ascii: " ") }
    guard let first = text.utf8.firstIndex(where: isLetter), let last = text.utf8.lastIndex(where: isLetter) else {
      return ""
    }
    return String(Substring(text.utf8[first...last]))
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
}

extension [AppAttribute] {
  /// These attributes and those of `others` with further names, sorted by name. Both lists have each name at most once.
  public func completed(by others: [AppAttribute]) -> [AppAttribute] {
    if isEmpty { return others }
    if others.isEmpty { return self }
    let rest = others.filter { other in !contains { $0.name == other.name } }
    return rest.isEmpty ? self : (self + rest).sorted { $0.name < $1.name }
  }
}

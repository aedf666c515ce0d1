import Core

/// Parses releases as users type them.
enum ReleaseNameParser {
  private static let longest = 100

  /// Reads `4.11.0`, `4.11.0 (7)`, `4.11.0-beta.2`, Sentry's `com.example.shop@4.11.0+7`, and the exact title of a
  /// known release; nil for anything else.
  static func read(_ text: String, known: [Release]) -> String? {
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    guard !words.isEmpty, words.utf8.count <= longest else { return nil }
    if known.contains(where: { $0.isCalled(words) }) { return words }
    // Package names contain no space; the version follows the last `@`.
    let bare = words.lastIndex(of: "@").map { words[words.index(after: $0)...] } ?? words[...]
    if let plus = bare.firstIndex(of: "+") {
      let release = Release(version: String(bare[..<plus]), build: String(bare[bare.index(after: plus)...]))
      return isVersion(release.version[...]) && isBuild(release.build[...]) ? release.title : nil
    }
    guard let open = bare.firstRange(of: " (") else { return isVersion(bare) ? String(bare) : nil }
    let build = bare[open.upperBound...]
    guard build.last == ")", isVersion(bare[..<open.lowerBound]), isBuild(build.dropLast()) else { return nil }
    return String(bare)
  }

  /// The error message for text that is not a release.
  static func expected(_ text: String) -> String {
    let shown = String(
      text.unicodeScalars.prefix(60).filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
    return "release: expected a version, or a version and build, such as 4.11.0 or 4.11.0 (7); found \"\(shown)\""
  }

  /// Whether a text is a version: `4.11.0`, `4.11.0-beta.2`, `4.11b3`.
  private static func isVersion(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, (48...57).contains(first) else { return false }
    return text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }

  private static func isBuild(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
  }
}

/// Which messages go to which channels.
public struct Route: Sendable, Equatable {
  /// Globs of bundle identifiers, any of which fits; empty for every app.
  public var apps: [String] = []
  /// The least severity.
  public var severity = AlertMessage.Severity.info
  /// Globs of environments, any of which fits; empty for every one, and for messages without one.
  public var environments: [String] = []
  /// Names of channels.
  public var channels: [String]

  /// Whether it is for `message`.
  func fits(_ message: AlertMessage) -> Bool {
    message.severity >= severity && (apps.isEmpty || apps.contains { Glob.matches(message.app, $0) })
      && (environments.isEmpty || environments.contains { Glob.matches(message.environment ?? "", $0) })
  }
}

/// Names with `*` for any number of characters.
enum Glob {
  /// In time proportional to the product of both lengths at worst: it goes back to the last star only.
  static func matches(_ text: String, _ pattern: String) -> Bool {
    let text = Array(text.utf8)
    let pattern = Array(pattern.utf8)
    var (at, index) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while at < text.count {
      if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
        star = (index, at)
        index += 1
      } else if index < pattern.count, pattern[index] == text[at] {
        at += 1
        index += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        (at, index) = (last.text + 1, last.pattern + 1)
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

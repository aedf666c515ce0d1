/// A workflow command of GitHub Actions, which becomes an annotation.
enum GitHubCommand {
  enum Level: String {
    case error
    case warning
    case notice
  }

  /// One line with its line break. Text from devices is escaped, so that it cannot end the command or a property.
  static func line(_ level: Level, title: String, _ message: String) -> String {
    // Commas and colons end a property, so titles escape them; messages must not.
    let property = escaped(escaped(title, Self.breaks), [",": "%2C", ":": "%3A"])
    return "::\(level.rawValue) title=\(property)::\(escaped(message, Self.breaks))\n"
  }

  private static let breaks: [Unicode.Scalar: String] = ["%": "%25", "\r": "%0D", "\n": "%0A"]

  private static func escaped(_ text: String, _ codes: [Unicode.Scalar: String]) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let code = codes[scalar] { escaped.append(contentsOf: code.unicodeScalars) } else { escaped.append(scalar) }
    }
    return String(escaped)
  }
}

/// Text within XML 1.0.
enum XMLText {
  /// Escapes markup and removes the control characters that XML forbids.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{FFFE}", "\u{FFFF}": break
      default: if scalar.value >= 0x20 { escaped.unicodeScalars.append(scalar) }
      }
    }
    return escaped
  }
}

/// Text within GitHub's and GitLab's markdown.
enum Markdown {
  /// A row of a table; its cells must be escaped.
  static func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }

  /// Escapes text from devices, so that it contains no markup, mention, link or cell separator.
  static func escaped(_ text: String) -> String {
    var marked = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "~", "#", "!": marked.append(contentsOf: ["\\", scalar])
      case "<": marked.append(contentsOf: "&lt;".unicodeScalars)
      case ">": marked.append(contentsOf: "&gt;".unicodeScalars)
      case "&": marked.append(contentsOf: "&amp;".unicodeScalars)
      case "@": marked.append(contentsOf: "&#64;".unicodeScalars)
      case "\u{A0}": marked.append(" ")
      default: if scalar.value >= 0x20, !(0x2028...0x202E).contains(scalar.value) { marked.append(scalar) }
      }
    }
    return String(marked)
  }
}

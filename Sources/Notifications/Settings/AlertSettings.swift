/// The section `alerts:` of the settings file.
public struct AlertSettings: Sendable, Equatable {
  /// In the order of their names.
  public var channels: [Channel] = []
  /// In the order of the file.
  public var routes: [Route] = []
  /// The channels of messages that match no route.
  public var defaultChannels: [String] = []

  /// Nothing is delivered anywhere.
  public init() {}

  /// Reads the section out of the text of a settings file; without one nothing is delivered anywhere.
  ///
  /// - Parameter fileName: the name that every error starts with.
  /// - Throws: `AlertSettingsErrors`, with every error there is.
  public static func read(yaml: String, fileName: String) throws(AlertSettingsErrors) -> AlertSettings {
    var reader = AlertSettingsReader(fileName: fileName)
    let settings = reader.read(yaml)
    if !reader.errors.isEmpty { throw AlertSettingsErrors(errors: reader.errors) }
    return settings
  }

  /// The names of the channels for `message`: those of all matching routes, else the default ones; each once, in the
  /// order of the file.
  public func channels(for message: AlertMessage) -> [String] {
    let fitting = routes.filter { $0.fits(message) }
    var seen: Set<String> = []
    return (fitting.isEmpty ? defaultChannels : fitting.flatMap(\.channels)).filter { seen.insert($0).inserted }
  }
}

/// Everything that is wrong with the section, in the order of its lines.
public struct AlertSettingsErrors: Error, Sendable, Equatable, CustomStringConvertible {
  /// At least one.
  public let errors: [AlertSettingsError]

  /// One line an error.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// `plumb.yaml:12:7: unknown option urll; slack has url, allow-private, ca-file, proxy, timeout`
public struct AlertSettingsError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name the file was read under.
  public let file: String
  /// From 1.
  public let line: Int
  /// From 1.
  public let column: Int
  /// What was expected, and what was found, but for secrets.
  public let message: String

  /// In the form editors and CI systems recognise.
  public var description: String { "\(file):\(line):\(column): \(message)" }
}

/// Which messages go to which channels.
public struct Route: Sendable, Equatable {
  /// Globs of bundle identifiers, one of which must match; empty for every app.
  public var apps: [String] = []
  /// The least severity.
  public var severity = AlertMessage.Severity.info
  /// Globs of environments, one of which must match; empty for all messages, also those without an environment.
  public var environments: [String] = []
  /// Names of channels.
  public var channels: [String]

  /// True if the route applies to `message`.
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

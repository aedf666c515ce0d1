public import Storage

/// The section `alerts:` of the settings file: channels and routes.
public struct AlertSettings: Sendable, Equatable {
  /// The channels, sorted by name.
  public var channels: [Channel] = []
  /// The routes, in the order of the file.
  var routes: [AlertRoute] = []
  /// The names of the channels for messages that match no route.
  public var defaultChannels: [String] = []

  /// Settings without channels: no message is delivered.
  public init() {}

  /// Parses the section in the text of a settings file. Without the section there are no channels.
  ///
  /// - Parameter fileName: the name that every error begins with.
  /// - Throws: `AlertSettingsErrors`, with all errors of the section.
  public static func read(yaml: String, fileName: String) throws(AlertSettingsErrors) -> AlertSettings {
    var reader = AlertSettingsReader(fileName: fileName)
    let settings = reader.read(yaml)
    if !reader.errors.isEmpty { throw AlertSettingsErrors(errors: reader.errors) }
    return settings
  }

  /// The names of the channels for `message`: those of all matching routes, or the default channels if no route
  /// matches. Each name occurs once, in the order of the file.
  public func channels(for message: AlertMessage) -> [String] {
    let fitting = routes.filter { $0.fits(message) }
    var seen: Set<String> = []
    return (fitting.isEmpty ? defaultChannels : fitting.flatMap(\.channels)).filter { seen.insert($0).inserted }
  }
}

/// All errors of the section, in the order of its lines.
public struct AlertSettingsErrors: Error, Sendable, Equatable, CustomStringConvertible {
  /// The errors; at least one.
  let errors: [AlertSettingsError]

  /// The descriptions of all errors, one per line.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// One error, such as `plumb.yaml:12:7: unknown option "urll". The options of the channel team are kind, timeout, …`.
struct AlertSettingsError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file's name, as passed to the parser.
  let file: String
  /// The line of the file, from 1.
  let line: Int
  /// The column of the line, from 1.
  let column: Int
  /// The expected and the found value. Values that may be secrets are not quoted.
  let message: String

  /// The error in the form `FILE:LINE:COLUMN: MESSAGE`, which editors and CI systems recognise.
  var description: String { "\(file):\(line):\(column): \(message)" }
}

/// A rule that sends matching messages to channels.
struct AlertRoute: Sendable, Equatable {
  /// Patterns of bundle identifiers, one of which must match; empty for every app.
  var apps: [String] = []
  /// The lowest severity that matches.
  var severity = Severity.info
  /// Patterns of environments, one of which must match; empty for all messages, including those without an environment.
  var environments: [String] = []
  /// The names of the channels that matching messages are sent to.
  var channels: [String]

  /// Whether the route applies to `message`.
  func fits(_ message: AlertMessage) -> Bool {
    message.severity >= severity && (apps.isEmpty || apps.contains { Glob.matches(message.app, $0) })
      && (environments.isEmpty || environments.contains { Glob.matches(message.environment ?? "", $0) })
  }
}

/// Patterns of names, in which `*` matches any number of characters.
enum Glob {
  /// Whether `text` matches `pattern`. Backtracks only to the last star, so that the time is at most proportional to
  /// the product of both lengths.
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

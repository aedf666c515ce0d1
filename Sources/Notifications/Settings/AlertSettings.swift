/// The section `alerts:` of the settings file.
public struct AlertSettings: Sendable, Equatable {
  /// In the order of their names.
  public var channels: [Channel] = []
  /// In the order of the file.
  public var routes: [Route] = []
  /// The channels of messages that no route is for.
  public var defaultChannels: [String] = []

  /// Nothing is delivered anywhere.
  public init() {}

  /// Reads the section out of the text of a settings file; without one nothing is delivered anywhere.
  ///
  /// - Parameter fileName: stands in front of every error.
  /// - Throws: `AlertSettingsErrors`, with every error there is.
  public static func read(yaml: String, fileName: String) throws(AlertSettingsErrors) -> AlertSettings {
    var reader = AlertSettingsReader(fileName: fileName)
    let settings = reader.read(yaml)
    if !reader.errors.isEmpty { throw AlertSettingsErrors(errors: reader.errors) }
    return settings
  }

  /// The names of the channels for `message`: those of all routes that fit it, else the default ones; each once, in the
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

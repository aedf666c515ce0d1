/// The content of one client document in Plumb's terms, independent of the client's format.
public struct Report: Sendable, Equatable {
  public var source: Source
  /// The environment: `production`, `testflight`, `simulated`, or the client's own name.
  public var environment: String
  /// The bundle identifier in the document, for the data-quality page. The app is determined by the ingest key, not by
  /// this.
  public var bundleID: String?
  public var release: Release
  public var device: Device
  /// Whether the document spans several releases: it then counts for the app, but for none of its releases.
  public var isMixedRelease: Bool
  /// The value of the app's attribute; nil if the client sent none, or if the app has no attribute.
  public var attribute: AppAttribute?
  public var measurements: [Measurement]
  public var sessions: [SessionUpdate]
  public var diagnostics: [Diagnostic]
  /// The losses that the client reports: data it discarded before sending.
  public var losses: [ClientLoss]
  /// The number of samples that were rejected (negative, NaN, infinite) while the rest of the document was kept.
  public var rejectedSamples: Int
  /// The number of values with an unknown unit, which were read in the metric's default unit.
  public var unknownUnits: Int
  /// The number of times that were missing or impossible and were replaced by the time of receipt.
  public var assumedTimes: Int

  public init(
    source: Source, environment: String = "production", bundleID: String? = nil, release: Release, device: Device,
    isMixedRelease: Bool = false, attribute: AppAttribute? = nil, measurements: [Measurement] = [],
    sessions: [SessionUpdate] = [],
    diagnostics: [Diagnostic] = [], losses: [ClientLoss] = [], rejectedSamples: Int = 0, unknownUnits: Int = 0,
    assumedTimes: Int = 0
  ) {
    self.source = source
    self.environment = environment
    self.bundleID = bundleID
    self.release = release
    self.device = device
    self.isMixedRelease = isMixedRelease
    self.attribute = attribute
    self.measurements = measurements
    self.sessions = sessions
    self.diagnostics = diagnostics
    self.losses = losses
    self.rejectedSamples = rejectedSamples
    self.unknownUnits = unknownUnits
    self.assumedTimes = assumedTimes
  }
}

extension Report {
  /// The range from the first to the last instant of the content; nil when it has only calendar days.
  public var times: ClosedRange<Timestamp>? {
    var range: ClosedRange<Timestamp>?
    func note(_ instant: Timestamp) {
      range = range.map { min($0.lowerBound, instant)...max($0.upperBound, instant) } ?? instant...instant
    }
    for case .instant(let instant) in measurements.lazy.map(\.time) { note(instant) }
    for case .instant(let instant) in diagnostics.lazy.map(\.time) { note(instant) }
    for session in sessions { note(session.started) }
    return range
  }
}

/// The device and operating system an app ran on. Strings are empty when the client did not send them.
public struct Device: Hashable, Sendable {
  /// The model identifier, such as `iPhone15,2`.
  public var model: String
  public var system: OperatingSystem

  public init(model: String, system: OperatingSystem) {
    self.model = model
    self.system = system
  }
}

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

/// Data that a client discarded before it could send it, from Sentry's client reports.
public struct ClientLoss: Sendable, Hashable {
  /// The category of the lost data: `session`, `error`.
  public var category: String
  /// The reason why the data was lost: `ratelimit_backoff`, `network_error`.
  public var reason: String
  public var quantity: Int

  public init(category: String, reason: String, quantity: Int) {
    self.category = category
    self.reason = reason
    self.quantity = quantity
  }
}

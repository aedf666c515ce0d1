/// What one client sent in one document, in Plumb's own terms. No format's vocabulary reaches further than this.
public struct Report: Sendable, Equatable {
  public var source: Source
  /// `production`, `testflight`, `simulated`, or what the client calls it.
  public var environment: String
  /// The bundle identifier the document names, for the data-quality page; the key decides which app it counts for.
  public var bundleID: String?
  public var release: Release
  public var device: Device
  /// The document spans several releases: it counts for the app, for no release.
  public var isMixedRelease: Bool
  public var measurements: [Measurement]
  public var sessions: [SessionUpdate]
  public var diagnostics: [Diagnostic]
  /// What the client reports as lost before it could be sent.
  public var losses: [ClientLoss]
  /// Samples that were refused while the rest of the document was kept (negative, not a number, infinite).
  public var rejectedSamples: Int
  /// Values with an unknown unit word, read in the unit that such values have elsewhere.
  public var unknownUnits: Int
  /// Times that were missing or impossible, and were taken to be that of the receipt.
  public var assumedTimes: Int

  public init(
    source: Source, environment: String = "production", bundleID: String? = nil, release: Release, device: Device,
    isMixedRelease: Bool = false, measurements: [Measurement] = [], sessions: [SessionUpdate] = [],
    diagnostics: [Diagnostic] = [], losses: [ClientLoss] = [], rejectedSamples: Int = 0, unknownUnits: Int = 0,
    assumedTimes: Int = 0
  ) {
    self.source = source
    self.environment = environment
    self.bundleID = bundleID
    self.release = release
    self.device = device
    self.isMixedRelease = isMixedRelease
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
  /// From the first to the last instant it names; nil where it names days only.
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

/// What the app ran on. Empty strings where the client did not say.
public struct Device: Hashable, Sendable {
  /// `iPhone15,2`
  public var model: String
  public var system: OperatingSystem

  public init(model: String, system: OperatingSystem) {
    self.model = model
    self.system = system
  }
}

/// `iOS 17.4.1 (21E236)`
public struct OperatingSystem: Hashable, Sendable {
  public var name: String
  public var version: String
  public var build: String

  public init(name: String, version: String, build: String = "") {
    self.name = name
    self.version = version
    self.build = build
  }

  /// Reads `iPhone OS 17.4.1 (21E236)` or `iOS 17.4.1`; "iPhone OS" becomes iOS. A text of another shape is all name.
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

  /// `iOS 17.4.1`
  public var title: String { version.isEmpty ? name : "\(name) \(version)" }
}

/// Data that a client discarded before it could send it, from Sentry's client reports.
public struct ClientLoss: Sendable, Hashable {
  /// `session`, `error`: what was lost.
  public var category: String
  /// `ratelimit_backoff`, `network_error`: why.
  public var reason: String
  public var quantity: Int

  public init(category: String, reason: String, quantity: Int) {
    self.category = category
    self.reason = reason
    self.quantity = quantity
  }
}

/// Where a number was measured. Sources that measure the same thing are never added together.
///
/// Raw values are stored in records and rows: never change one.
public enum Source: UInt8, Sendable, Hashable, CaseIterable {
  case metricKit = 1
  case native = 2
  case sentry = 3
  case otlp = 4
  /// A crash report of Apple's, `.ips` or `.crash`, sent by hand.
  case appleReport = 5

  /// The name people read: `MetricKit`, `native`, `Sentry`, `OTLP`, `Apple report`.
  public var title: String {
    switch self {
    case .metricKit: "MetricKit"
    case .native: "native"
    case .sentry: "Sentry"
    case .otlp: "OTLP"
    case .appleReport: "Apple report"
    }
  }
}

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
  public var readings: [Reading]
  public var sessions: [SessionUpdate]
  /// Samples that were refused while the rest of the document was kept (negative, not a number, infinite).
  public var rejectedSamples: Int
  /// Values that were kept on an assumption, such as a unit word nobody knows.
  public var warnings: Int

  public init(
    source: Source, environment: String = "production", bundleID: String? = nil, release: Release, device: Device,
    isMixedRelease: Bool = false, readings: [Reading] = [], sessions: [SessionUpdate] = [], rejectedSamples: Int = 0,
    warnings: Int = 0
  ) {
    self.source = source
    self.environment = environment
    self.bundleID = bundleID
    self.release = release
    self.device = device
    self.isMixedRelease = isMixedRelease
    self.readings = readings
    self.sessions = sessions
    self.rejectedSamples = rejectedSamples
    self.warnings = warnings
  }
}

/// A build of an app: `4.2.0 (1234)`. Either part may be empty.
public struct Release: Hashable, Sendable {
  public var version: String
  public var build: String

  public init(version: String, build: String = "") {
    self.version = version
    self.build = build
  }

  /// Documents that span several releases are booked here.
  public static let mixed = Release(version: "(mixed)")
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
    var words = text.split(separator: " ")
    var build = ""
    if words.count > 1, let last = words.last, last.hasPrefix("("), last.hasSuffix(")") {
      build = String(last.dropFirst().dropLast())
      words.removeLast()
    }
    var version = ""
    if words.count > 1, let last = words.last, let first = last.utf8.first, (48...57).contains(first) {
      version = String(last)
      words.removeLast()
    }
    let name = words.joined(separator: " ")
    self.init(name: name == "iPhone OS" ? "iOS" : name, version: version, build: build)
  }

  /// `iOS 17.4.1`
  public var title: String { version.isEmpty ? name : "\(name) \(version)" }
}

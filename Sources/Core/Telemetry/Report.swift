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
  /// The values of the app's attributes that the client sent, sorted by name, at most one of each name.
  public var attributes: [AppAttribute]
  /// The first run of the release on the installation; nil if the client did not state it.
  public var firstRun: FirstRun?
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
    isMixedRelease: Bool = false, attributes: [AppAttribute] = [], firstRun: FirstRun? = nil,
    measurements: [Measurement] = [], sessions: [SessionUpdate] = [], diagnostics: [Diagnostic] = [],
    losses: [ClientLoss] = [], rejectedSamples: Int = 0, unknownUnits: Int = 0,
    assumedTimes: Int = 0
  ) {
    self.source = source
    self.environment = environment
    self.bundleID = bundleID
    self.release = release
    self.device = device
    self.isMixedRelease = isMixedRelease
    self.attributes = attributes
    self.firstRun = firstRun
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

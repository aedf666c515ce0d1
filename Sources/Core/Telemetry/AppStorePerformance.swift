/// What App Store Connect returned about an app, from one document or from several.
public struct AppStorePerformance: Sendable, Equatable {
  public var figures: [AppStoreFigure] = []
  public var goals: [AppStoreGoal] = []
  /// Apple's insights, in Apple's order.
  public var insights: [AppStoreInsight] = []
  /// The heaviest signatures, in Apple's order within a kind.
  public var signatures: [AppStoreSignature] = []
  /// The categories whose insights are complete here, so that they replace older insights.
  public var insightCategories: Set<String> = []
  /// The kinds of signatures that are complete here, so that they replace older ones.
  public var signatureKinds: Set<AppStoreSignature.Kind> = []

  public init() {}

  /// Adds what a later document says. A goal, insight or signature with the same key replaces the earlier one.
  public mutating func merge(_ later: AppStorePerformance) {
    func merged<Note>(_ own: [Note], _ other: [Note], _ key: (Note) -> String) -> [Note] {
      let replaced = Set(other.map(key))
      return own.filter { !replaced.contains(key($0)) } + other
    }
    figures += later.figures
    goals = merged(goals, later.goals) { $0.key }
    insights = merged(insights, later.insights) { "\($0.category) \($0.key)" }
    signatures = merged(signatures, later.signatures) { "\($0.kind.rawValue) \($0.key)" }
    insightCategories.formUnion(later.insightCategories)
    signatureKinds.formUnion(later.signatureKinds)
  }
}

/// A limit that Apple recommends for a metric, or a class of values such as `good`.
public struct AppStoreGoal: Sendable, Hashable, Codable {
  /// The platform, category and identifier of the metric, as in `AppStoreFigure.Key`.
  public var platform: String
  public var category: String
  public var metric: String
  /// Apple's name for the devices; empty for all devices.
  public var device: String
  /// `p50` or `p90`; empty for all percentiles.
  public var percentile: String
  /// `recommended`, or Apple's name for a class of values: `good`, `fair` or `poor`.
  public var name: String
  /// The bounds of the values, in `unit`; nil without one. A recommended goal has only `high`.
  public var low: Double?
  public var high: Double?
  public var unit: String
  /// Apple's explanation; empty if there is none.
  public var detail: String
  /// When it was imported; nil until it is stored.
  public var imported: Int64?

  public init(
    platform: String, category: String, metric: String, device: String = "", percentile: String = "", name: String,
    low: Double? = nil, high: Double? = nil, unit: String, detail: String = ""
  ) {
    (self.platform, self.category, self.metric) = (platform, category, metric)
    (self.device, self.percentile, self.name) = (device, percentile, name)
    (self.low, self.high, self.unit, self.detail) = (low, high, unit, detail)
  }

  /// Apple's name for a goal that it recommends for one percentile and kind of device.
  public static let recommended = "recommended"

  /// The fields that identify a goal. A newer goal replaces an older one with the same key.
  public var key: String { [platform, category, metric, device, percentile, name].joined(separator: "\n") }

  /// The catalogue metric that measures the same quantity; nil if only Apple measures it.
  public var counterpart: String? { AppStoreFigure.Key.counterpart(category, metric) }
}

/// Apple's remark that a metric became worse, or better, with a version.
public struct AppStoreInsight: Sendable, Hashable, Codable {
  public enum Kind: String, Sendable, Codable {
    case regression
    /// Apple's list `trendingUp`: the metric improves.
    case trendingUp = "trending_up"
  }

  /// The change on one kind of device.
  public struct Population: Sendable, Hashable, Codable {
    public var device: String
    public var percentile: String
    /// The change in percent.
    public var delta: Double?
    public var latest: Double?
    public var reference: Double?
    public var summary: String

    public init(
      device: String, percentile: String, delta: Double?, latest: Double?, reference: Double?, summary: String
    ) {
      (self.device, self.percentile, self.delta) = (device, percentile, delta)
      (self.latest, self.reference, self.summary) = (latest, reference, summary)
    }
  }

  public var kind: Kind
  public var category: String
  public var metric: String
  public var latestVersion: String
  /// The versions that Apple compares with, as Apple lists them.
  public var referenceVersions: [String]
  /// Apple's sentence; empty if there is none.
  public var summary: String
  /// The largest value of the latest version, in Apple's unit; nil if there is none.
  public var maximum: Double?
  public var isHighImpact: Bool
  /// The part of the system, such as a battery subsystem; empty if there is none.
  public var subsystem: String
  public var populations: [Population]

  public init(
    kind: Kind, category: String, metric: String, latestVersion: String, referenceVersions: [String], summary: String,
    maximum: Double?, isHighImpact: Bool, subsystem: String, populations: [Population]
  ) {
    (self.kind, self.category, self.metric, self.latestVersion) = (kind, category, metric, latestVersion)
    (self.referenceVersions, self.summary, self.isHighImpact) = (referenceVersions, summary, isHighImpact)
    (self.maximum, self.subsystem, self.populations) = (maximum, subsystem, populations)
  }

  /// The fields that, with the category, identify an insight.
  public var key: String { [kind.rawValue, metric, latestVersion, subsystem].joined(separator: "\n") }

  /// The catalogue metric that measures the same quantity; nil if only Apple measures it.
  public var counterpart: String? { AppStoreFigure.Key.counterpart(category, metric) }
}

/// A place in the code that Apple found in many diagnostics of an app.
public struct AppStoreSignature: Sendable, Hashable, Codable {
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case hangs = "HANGS"
    case launches = "LAUNCHES"
    case diskWrites = "DISK_WRITES"
  }

  public var kind: Kind
  /// Apple's identifier; empty if there is none.
  public var id: String
  /// The function, as Apple shows it.
  public var signature: String
  /// The share of the diagnostics of its kind, in percent.
  public var weight: Double?
  public var count: Int?
  /// The version that the signature is about; empty if unknown.
  public var version: String
  public var file: String
  public var line: Int?
  /// `up` or `down` if Apple found a trend; empty if not.
  public var trend: String
  /// Apple's values of earlier versions.
  public var references: [Reference]

  public struct Reference: Sendable, Hashable, Codable {
    public var version: String
    public var value: Double

    public init(version: String, value: Double) { (self.version, self.value) = (version, value) }
  }

  public init(
    kind: Kind, id: String, signature: String, weight: Double?, count: Int? = nil, version: String = "",
    file: String = "", line: Int? = nil, trend: String = "", references: [Reference] = []
  ) {
    (self.kind, self.id, self.signature, self.weight, self.count) = (kind, id, signature, weight, count)
    (self.version, self.file, self.line, self.trend) = (version, file, line, trend)
    self.references = references
  }

  /// The text that, with the kind, identifies a signature.
  public var key: String { id.isEmpty ? signature : id }

  /// The catalogue metrics whose pages show the signature.
  public var counterparts: [String] {
    switch kind {
    case .hangs: ["hang.rate", "hang.duration"]
    case .launches: ["launch.first_draw"]
    case .diskWrites: ["disk.writes"]
    }
  }
}

/// One number of App Store Connect's power and performance metrics: a percentile that Apple computed of one version on
/// one kind of device. Its sample is unknown, so it is shown beside Plumb's numbers and never merged with them.
public struct AppStoreFigure: Sendable, Hashable {
  /// Everything that names a number. A newer one with the same key replaces an older one.
  public struct Key: Sendable, Hashable {
    /// The platform in Apple's spelling: `iOS`.
    public var platform: String
    /// The category and identifier of the metric, such as `LAUNCH` and `launchTime`.
    public var category: String
    public var metric: String
    /// Apple's name of the devices: `all_iphones`, `iPhone15,2`.
    public var device: String
    /// `p50` and `p90` are all there are; another one stands as Apple spells it.
    public var percentile: String
    public var version: String

    public init(
      platform: String, category: String, metric: String, device: String, percentile: String, version: String
    ) {
      self.platform = platform
      self.category = category
      self.metric = metric
      self.device = device
      self.percentile = percentile
      self.version = version
    }
  }

  public var key: Key
  /// The devices as Apple shows them: `All iPhones`.
  public var deviceName: String
  /// The unit as Apple shows it: `ms`, `MB`.
  public var unit: String
  public var value: Double
  /// Apple's margin of error in the same unit; nil where the sample is large.
  public var errorMargin: Double?
  /// Apple's judgement: `good`, `fair` or `poor`; empty without one.
  public var goal: String

  public init(
    _ key: Key, deviceName: String, unit: String, value: Double, errorMargin: Double? = nil, goal: String = ""
  ) {
    self.key = key
    self.deviceName = deviceName
    self.unit = unit
    self.value = value
    self.errorMargin = errorMargin
    self.goal = goal
  }
}

extension AppStoreFigure.Key {
  /// The metric of the catalogue that measures the same; nil for what only Apple measures.
  public var counterpart: String? { Self.counterparts["\(category)/\(metric)"] }

  /// Source: developer.apple.com/documentation/xcode/improving-your-app-s-performance, and the identifiers that clients
  /// of the API know.
  private static let counterparts = [
    "LAUNCH/launchTime": "launch.first_draw", "HANG/hangRate": "hang.rate", "MEMORY/peakMemory": "memory.peak",
    "MEMORY/memoryAtSuspension": "memory.suspended", "DISK/diskWrites": "disk.writes",
    "ANIMATION/scrollHitchRate": "ui.scroll_hitch_ratio",
  ]
}

extension AppStoreFigure {
  /// The factor from Apple's unit to another one; nil if they measure different things, or Apple's is not known.
  public func factor(into unit: MetricUnit) -> Double? {
    let symbol = Self.symbols[self.unit.lowercased()] ?? self.unit
    if symbol == unit.symbol { return 1 }
    return InputUnit(symbol: symbol)?.factor(into: unit)
  }

  /// What Apple writes, and the symbol that the native format has for it. What is written to disk is counted by the day
  /// in both.
  private static let symbols = [
    "milliseconds": "ms", "seconds": "s", "megabytes": "MB", "mb": "MB", "mb/day": "MB", "megabytes per day": "MB",
    "seconds/hour": MetricUnit.secondsPerHour.symbol, "s/hr": MetricUnit.secondsPerHour.symbol,
    "seconds per hour": MetricUnit.secondsPerHour.symbol, "ms/s": "ms/s",
  ]
}

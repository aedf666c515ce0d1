/// One number from App Store Connect's power and performance metrics: a percentile that Apple computed for one version
/// on one kind of device. Its sample size is unknown, so pages show it beside Plumb's numbers and never merge the two.
public struct AppStoreFigure: Sendable, Hashable {
  /// The fields that identify a figure. A newer figure replaces an older one with the same key.
  public struct Key: Sendable, Hashable {
    /// The platform in Apple's spelling: `iOS`.
    public var platform: String
    /// The category and identifier of the metric, such as `LAUNCH` and `launchTime`.
    public var category: String
    public var metric: String
    /// Apple's name for the devices: `all_iphones`, `iPhone15,2`.
    public var device: String
    /// The percentile in Apple's spelling: `p50` or `p90` today.
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
  /// Apple's margin of error in the same unit; nil for large samples.
  public var errorMargin: Double?
  /// Apple's rating: `good`, `fair` or `poor`; empty if there is none.
  public var goal: String
  /// The shares by subsystem, such as those of a battery's use; empty if Apple gives none.
  public var parts: [Part] = []

  /// The share of one subsystem, in percent.
  public struct Part: Sendable, Hashable, Codable {
    public var label: String
    public var share: Double

    public init(label: String, share: Double) { (self.label, self.share) = (label, share) }
  }

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
  /// The catalogue metric that measures the same quantity; nil if only Apple measures it.
  public var counterpart: String? { Self.counterpart(category, metric) }

  static func counterpart(_ category: String, _ metric: String) -> String? { counterparts["\(category)/\(metric)"] }

  /// The catalogue metrics that Apple also measures.
  public static let measured = Set(counterparts.values)

  /// Source: developer.apple.com/documentation/xcode/improving-your-app-s-performance, and the metric identifiers that
  /// clients of the API use.
  private static let counterparts = [
    "LAUNCH/launchTime": "launch.first_draw", "HANG/hangRate": "hang.rate", "MEMORY/peakMemory": "memory.peak",
    "MEMORY/memoryAtSuspension": "memory.suspended", "DISK/diskWrites": "disk.writes",
    "ANIMATION/scrollHitchRate": "ui.scroll_hitch_ratio", "ANIMATION/hitchRate": "ui.hitch_ratio",
  ]
}

extension AppStoreFigure {
  /// The factor from Apple's unit to `unit`; nil if the two measure different quantities or Apple's unit is unknown.
  public func factor(into unit: MetricUnit) -> Double? { Self.factor(from: self.unit, into: unit) }

  /// The factor from a unit as Apple shows it to `unit`; nil if the two measure different quantities or Apple's unit is
  /// unknown.
  public static func factor(from appleUnit: String, into unit: MetricUnit) -> Double? {
    let symbol = symbols[appleUnit.lowercased()] ?? appleUnit
    if symbol == unit.symbol { return 1 }
    return InputUnit(symbol: symbol)?.factor(into: unit)
  }

  /// Apple's unit names and the native format's symbols for them. Both count disk writes per day.
  private static let symbols = [
    "milliseconds": "ms", "seconds": "s", "megabytes": "MB", "mb": "MB", "mb/day": "MB", "megabytes per day": "MB",
    "seconds/hour": MetricUnit.secondsPerHour.symbol, "s/hr": MetricUnit.secondsPerHour.symbol,
    "seconds per hour": MetricUnit.secondsPerHour.symbol, "ms/s": "ms/s",
  ]
}

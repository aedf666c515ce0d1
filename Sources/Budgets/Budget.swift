public import Telemetry

/// A limit for one number of one metric: `p90 launch.first_draw <= 2 s, warn at 1.5 s, on iPhone12,*`.
public struct Budget: Sendable, Hashable {
  /// As it was written, with single spaces.
  public var text: String
  /// Which number of the metric is judged.
  public var statistic: Statistic
  /// `launch.first_draw`
  public var metric: String
  /// The unit of `target` and `warnTarget`: the catalogue's for a metric it has, else the canonical unit of what was written.
  public var unit: MetricUnit
  /// Which side of the target is good.
  public var comparison: Comparison
  /// The limit, in `unit`.
  public var target: Double
  /// Where a warning starts; on the good side of `target`.
  public var warnTarget: Double?
  /// Nil for all devices.
  public var device: DeviceMatch?
  /// Conditions on the system that must all hold, each for the same one; empty for all systems.
  public var systems: [SystemMatch]
  /// The screen, host or view; nil for all of them together.
  public var label: String?
  /// Nil for the environment that is shown anyway.
  public var environment: String?
  /// The length of the window in days; nil for the window that is shown anyway.
  public var days: Int?
  /// How many of the newest releases are judged, each by itself; nil for no such limit.
  public var lastReleases: Int?
  /// The adoption, from 0 to 1, that a release must exceed to be judged; nil for any.
  public var adoptionAbove: Double?
  /// Whether not enough data is a warning.
  public var requiresData: Bool
  /// Whether it is a default of the catalogue, not a line of the team's file.
  public var isDefault: Bool

  /// A budget whose limits are in `unit`.
  public init(
    text: String, statistic: Statistic, metric: String, unit: MetricUnit, comparison: Comparison, target: Double,
    warnTarget: Double? = nil, device: DeviceMatch? = nil, systems: [SystemMatch] = [], label: String? = nil,
    environment: String? = nil, days: Int? = nil, lastReleases: Int? = nil, adoptionAbove: Double? = nil,
    requiresData: Bool = false, isDefault: Bool = false
  ) {
    self.text = text
    self.statistic = statistic
    self.metric = metric
    self.unit = unit
    self.comparison = comparison
    self.target = target
    self.warnTarget = warnTarget
    self.device = device
    self.systems = systems
    self.label = label
    self.environment = environment
    self.days = days
    self.lastReleases = lastReleases
    self.adoptionAbove = adoptionAbove
    self.requiresData = requiresData
    self.isDefault = isDefault
  }

  /// Whether it judges releases, each by itself, and not the app as a whole.
  public var isPerRelease: Bool { lastReleases != nil || adoptionAbove != nil }

  /// Which number of the metric is judged.
  public enum Statistic: Sendable, Hashable {
    /// 1 to 99.
    case percentile(Int)
    case mean
    /// The one number of a ratio, rate or counter.
    case value

    /// `p90`, `mean`; nil for a metric that is one number.
    public var name: String? {
      switch self {
      case .percentile(let rank): "p\(rank)"
      case .mean: "mean"
      case .value: nil
      }
    }
  }

  /// Which side of the target is good.
  public enum Comparison: String, Sendable {
    case atMost = "<="
    case atLeast = ">="

    /// The same in the catalogue's terms.
    public var direction: Metric.Direction { self == .atMost ? .lower : .higher }
  }
}

public import Core

/// One metric of two releases.
public struct MetricComparison: Sendable, Equatable {
  /// The metric's name: `launch.first_draw`.
  public var name: String
  /// The metric's title: `Launch to first draw`.
  public var title: String
  /// The screen, host or view whose values are compared; nil for the whole metric.
  public var label: String?
  public var unit: MetricUnit
  var kind: Metric.Kind
  /// The compared statistic, `p90` or `mean`; nil for a metric that is a single number.
  public var statistic: String?
  /// The text of the budget whose statistic is compared; nil without a budget.
  var budget: String?
  var direction: Metric.Direction
  var source: Source?
  /// The number of days on which both releases have data.
  var days: Int
  public var base: ComparedValue
  public var head: ComparedValue
  /// The difference, computed within device classes; nil if there are too few data.
  public var difference: ComparedDifference?
  /// The difference within each device class with enough data.
  var classes: [ClassComparison] = []
  /// Whether the differences of device classes vary by more than chance, so that the overall difference may describe
  /// none of them.
  public var isHeterogeneous = false
  /// The device class with the largest deterioration; nil unless classes differ by more than chance and that class is
  /// significantly worse.
  public var worseClass: ClassComparison?
  /// Where the metric became worse; nil unless it is worse and this was requested.
  public var causes: CauseList?
  /// The likely verdict; nil unless the interval lies on one side of zero without being significant among all compared
  /// metrics.
  var tendency: ComparisonVerdict?
  /// The difference over all devices together, without adjustment for device classes; relative or in the metric's unit,
  /// see `isRelative`.
  public var rawDifference: Double?
  /// The device class whose share of the values differs most between the releases; nil if no share differs by 5 points.
  var mixShift: DeviceClassShift?
  /// True if differences are relative to the base (0.1 means 10 % more); false if in the metric's unit.
  var isRelative: Bool
  /// The largest difference that counts as no difference, relative or in the metric's unit; see `isRelative`.
  var margin: Double
  public var verdict: ComparisonVerdict
  /// The reason why there is no verdict; nil with a verdict.
  var reason: Reason?
  /// An estimate of how many more events of the newer release a verdict needs; nil if unknown.
  var needed: Int?
  var requiresData: Bool
  /// Whether the metric is worse at a false discovery rate of 0.1 % among all metrics, as incidents require.
  var isCertain = false

  init(
    name: String, title: String, unit: MetricUnit, kind: Metric.Kind, statistic: String?, budget: String?,
    direction: Metric.Direction, source: Source?, days: Int, base: ComparedValue, head: ComparedValue,
    difference: ComparedDifference? = nil, rawDifference: Double? = nil, isRelative: Bool, margin: Double,
    verdict: ComparisonVerdict = .notEnoughData, reason: Reason? = nil, needed: Int? = nil, requiresData: Bool = false
  ) {
    self.name = name
    self.title = title
    self.unit = unit
    self.kind = kind
    self.statistic = statistic
    self.budget = budget
    self.direction = direction
    self.source = source
    self.days = days
    self.base = base
    self.head = head
    self.difference = difference
    self.rawDifference = rawDifference
    self.isRelative = isRelative
    self.margin = margin
    self.verdict = verdict
    self.reason = reason
    self.needed = needed
    self.requiresData = requiresData
  }

  /// Why a metric has no verdict.
  enum Reason: String, Sendable, CaseIterable {
    /// No day has data of both releases.
    case missing
    /// There are too few events for an interval.
    case few
    /// The interval is too wide: it includes both no difference and a large difference.
    case close
    /// The source's buckets are too wide for a verdict, no matter how many events arrive.
    case coarse
    /// The older release has too few events for a verdict, no matter how many events of the newer release arrive.
    case base
    /// The newer release is worse, but was just installed on many phones, and the older release's first days, when it
    /// was as new, are not known.
    case age
    /// The newer release is worse, but no worse than the older one was as long after its installation.
    case updated
  }

  /// Whether the whole interval lies within the margin, so that any difference is small.
  var isSmall: Bool { difference.map { $0.low >= -margin && $0.high <= margin } ?? false }
  /// Whether the metric makes the outcome `worse`.
  var stopsRelease: Bool { verdict == .worse && !isSmall && budget != nil }
  /// Whether data that a budget requires are missing.
  var lacksRequiredData: Bool { requiresData && verdict == .notEnoughData }
}

/// The value of a metric for one release, with its two-sided 95 % interval.
public struct ComparedValue: Sendable, Equatable {
  public var estimate: Estimate = .unknown
  public var n: Int = 0
  var nEffective: Double?
}

/// The difference, head minus base, with its two-sided 95 % interval.
public struct ComparedDifference: Sendable, Equatable {
  public var value: Double
  public var low: Double
  public var high: Double
  /// The probability that chance alone shows a difference of at least this size.
  var pValue: Double
  /// The number of device classes with data of both releases.
  var strata: Int
}

/// The difference, head minus base, within one device class, with its two-sided 95 % interval. The scale is that of the
/// metric's difference.
public struct ClassComparison: Sendable, Equatable {
  /// The name of the device class, such as `iPhone 15`.
  var name: String
  var value: Double
  var low: Double
  var high: Double
  var pValue: Double
}

/// The verdict of a comparison on one metric.
public enum ComparisonVerdict: String, Sendable, CaseIterable {
  case better
  case worse
  case noDifferenceShown = "no_difference_shown"
  case notEnoughData = "not_enough_data"
}

public import Storage
public import Telemetry

/// Two releases side by side, on the days and classes of devices that both have.
public struct ReleaseComparison: Sendable, Equatable {
  public var app: String
  /// As they were asked for: `4.1.0`, or `4.1.0 (1234)`.
  public var base: String
  public var head: String
  /// The days both releases were in use, or those that were asked for.
  public var window: Window
  public var environment: String
  public var environmentNote: String?
  /// In the catalogue's order, custom ones behind them.
  public var metrics: [MetricComparison]
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, base: String, head: String, window: Window, environment: String, environmentNote: String? = nil,
    metrics: [MetricComparison], digestedThrough: Int64, asOf: Timestamp
  ) {
    self.app = app
    self.base = base
    self.head = head
    self.window = window
    self.environment = environment
    self.environmentNote = environmentNote
    self.metrics = metrics
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }

  /// What a gate does: it stops a release that is worse in a metric with a budget by what may be more than the margin, and
  /// warns of one that is worse on a class of devices alone.
  public var outcome: Outcome {
    if metrics.contains(where: \.stopsRelease) { return .worse }
    let isDoubtful = metrics.contains { $0.verdict == .worse || $0.worseClass != nil || $0.lacksRequiredData }
    return isDoubtful || metrics.allSatisfy { $0.verdict == .notEnoughData } ? .warning : .passed
  }

  public enum Outcome: String, Sendable {
    case passed
    case warning
    case worse
  }
}

/// One metric on both releases.
public struct MetricComparison: Sendable, Equatable {
  /// `launch.first_draw`
  public var name: String
  /// What people read: `Launch to first draw`.
  public var title: String
  public var unit: MetricUnit
  public var kind: Metric.Kind
  /// `p90`, `mean`; nil for a metric that is one number.
  public var statistic: String?
  /// The budget whose number is compared; nil without one.
  public var budget: String?
  public var direction: Metric.Direction
  public var source: Source?
  /// Days on which both releases have data.
  public var days: Int
  public var base: ComparedValue
  public var head: ComparedValue
  /// Within classes of devices. Nil when nothing can be said.
  public var difference: ComparedDifference?
  /// The same within each class of devices that has enough for it.
  public var classes: [ClassComparison] = []
  /// Whether classes of devices differ by more than chance: the difference of all of them hides what each of them has.
  public var isHeterogeneous = false
  /// The class of devices that is worse by most where classes differ and one alone is worse.
  public var worseClass: ClassComparison?
  /// The interval lies on one side of no difference, but not clearly enough among all metrics: what is likely.
  public var tendency: ComparisonVerdict?
  /// Of all devices together, on the same scale.
  public var rawDifference: Double?
  /// Differences are relative to the base (0.1 is 10 % more); else in the metric's unit.
  public var isRelative: Bool
  /// Differences up to this size, on the same scale, count as none.
  public var margin: Double
  public var verdict: ComparisonVerdict
  /// Why there is not enough data.
  public var reason: Reason?
  /// About how many more events of the head until we can tell.
  public var needed: Int?
  public var requiresData: Bool
  /// Worse among all metrics with a false discovery rate of 0.1 %, as incidents ask it.
  public var isCertain = false

  public init(
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

  /// Why nothing can be said.
  public enum Reason: String, Sendable {
    /// No day on which both releases have data.
    case missing
    /// Too few events for an interval.
    case few
    /// The interval is too wide.
    case close
    /// The buckets of the source are too wide: more events will not tell.
    case coarse
    /// The base has too few events: no number of the head's will tell.
    case base
  }

  /// The whole interval lies within the margin: a difference, and a small one.
  public var isSmall: Bool { difference.map { $0.low >= -margin && $0.high <= margin } ?? false }
  var stopsRelease: Bool { verdict == .worse && !isSmall && budget != nil }
  var lacksRequiredData: Bool { requiresData && verdict == .notEnoughData }
}

/// A metric on one release, two-sided 95 %.
public struct ComparedValue: Sendable, Equatable {
  public var estimate: Estimate
  public var n: Int
  public var nEffective: Double?

  public init(estimate: Estimate = .unknown, n: Int = 0, nEffective: Double? = nil) {
    self.estimate = estimate
    self.n = n
    self.nEffective = nEffective
  }
}

/// Head minus base, two-sided 95 %.
public struct ComparedDifference: Sendable, Equatable {
  public var value: Double
  public var low: Double
  public var high: Double
  /// How often chance alone would show at least so much.
  public var pValue: Double
  /// Classes of devices that both releases were measured on.
  public var strata: Int

  public init(value: Double, low: Double, high: Double, pValue: Double, strata: Int) {
    self.value = value
    self.low = low
    self.high = high
    self.pValue = pValue
    self.strata = strata
  }
}

/// Head minus base within one class of devices, two-sided 95 %, on the scale of the whole difference.
public struct ClassComparison: Sendable, Equatable {
  /// `iPhone 15`
  public var name: String
  public var value: Double
  public var low: Double
  public var high: Double
  public var pValue: Double

  public init(name: String, value: Double, low: Double, high: Double, pValue: Double) {
    self.name = name
    self.value = value
    self.low = low
    self.high = high
    self.pValue = pValue
  }
}

/// What a comparison says about one metric.
public enum ComparisonVerdict: String, Sendable, CaseIterable {
  case better
  case worse
  case noDifferenceShown = "no_difference_shown"
  case notEnoughData = "not_enough_data"
}

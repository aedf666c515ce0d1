public import Storage
public import Telemetry

/// What the data says about one budget on one slice.
public struct BudgetResult: Sendable, Equatable {
  /// The budget as the team wrote it: `p90 launch.first_draw <= 2 s`.
  public var budget: String
  /// `launch.first_draw`
  public var metric: String
  public var unit: MetricUnit
  /// `p90`, `mean`; nil for a metric that is one number.
  public var statistic: String?
  public var verdict: Verdict
  public var reason: Reason?
  /// Why nothing was judged, in words, where `reason` and the slice do not say it.
  public var reasonText: String?
  /// About how many more events until we can tell; nil when we can.
  public var needed: Int?
  public var value: Double?
  /// The value is a lower end, as `Estimate.isAtLeast` says.
  public var isAtLeast = false
  /// The lower end of the two-sided 95 % interval.
  public var low: Double?
  /// The upper end of the two-sided 95 % interval.
  public var high: Double?
  /// The one-sided bound at `confidence` that decided the verdict: "at least" so much where a limit from above is broken. Nil
  /// without enough data.
  public var bound: Double?
  public var n: Int
  /// The budget's limit in the metric's unit.
  public var target: Double
  /// The level that warns, in the metric's unit.
  public var warnTarget: Double?
  /// Which side of the target is good.
  public var direction: Metric.Direction
  public var basis: Basis
  /// How sure `bound` is.
  public var confidence: Double
  public var slice: Slice
  public var window: Window
  /// The budget says `require data`: not enough data is a warning.
  public var requiresData: Bool
  /// What opens and closes incidents; nil unless requested, or if nothing was measured.
  public var incidentTests: IncidentTests?

  public init(
    budget: String, metric: String, unit: MetricUnit, statistic: String?, verdict: Verdict, reason: Reason? = nil,
    needed: Int? = nil, value: Double? = nil, low: Double? = nil, high: Double? = nil, n: Int = 0, target: Double,
    warnTarget: Double? = nil, direction: Metric.Direction, basis: Basis = .events, confidence: Double = 0.95,
    slice: Slice, window: Window, requiresData: Bool = false
  ) {
    self.budget = budget
    self.metric = metric
    self.unit = unit
    self.statistic = statistic
    self.verdict = verdict
    self.reason = reason
    self.needed = needed
    self.value = value
    self.low = low
    self.high = high
    self.n = n
    self.target = target
    self.warnTarget = warnTarget
    self.direction = direction
    self.basis = basis
    self.confidence = confidence
    self.slice = slice
    self.window = window
    self.requiresData = requiresData
  }

  /// Why there is not enough data.
  public enum Reason: String, Sendable {
    /// So few events that even none of them bad would not prove the budget met.
    case few
    /// The value lies too close to the budget for this many events.
    case close
    /// The source's buckets are too coarse around the budget: more events will not tell.
    case coarse
    /// The metric is a plain count, which grows with use: no limit on it can be judged.
    case count
    /// Nothing in the window is what the budget is about: no such release, device, system or label.
    case unmatched
  }
}

/// Three verdicts, never two, and a warning level.
public enum Verdict: String, Sendable, CaseIterable {
  case within
  case warning
  case broken
  case notEnoughData = "not_enough_data"
}

extension Verdict {
  /// Broken before warning. Without either, what most of them say: an app whose budgets mostly lack data is not within.
  public static func worst(of verdicts: [Verdict]) -> Verdict {
    if let bad = [Verdict.broken, .warning].first(where: verdicts.contains) { return bad }
    return 2 * verdicts.count { $0 == .within } > verdicts.count ? .within : .notEnoughData
  }
}

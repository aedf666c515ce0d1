public import Core
public import Storage

/// The result of evaluating one budget on one slice.
public struct BudgetResult: Sendable, Equatable {
  /// The text of the budget: `p90 launch.first_draw <= 2 s`.
  public var budget: String
  /// The metric's name: `launch.first_draw`.
  public var metric: String
  public var unit: MetricUnit
  /// The statistic that the budget limits, `p90` or `mean`; nil for a metric that is a single number.
  public var statistic: String?
  public var verdict: Verdict
  var reason: Reason?
  /// Why there is no verdict, as a sentence, if `reason` and the slice do not express it.
  var reasonText: String?
  /// About how many more events a verdict needs; nil with a verdict.
  var needed: Int?
  public var value: Double?
  /// Whether the value is only a lower bound, as in `Estimate.isAtLeast`.
  var isAtLeast = false
  /// The lower end of the two-sided 95 % interval.
  public var low: Double?
  /// The upper end of the two-sided 95 % interval.
  public var high: Double?
  /// The value with its two-sided 95 % interval.
  package var estimate: Estimate { Estimate(value: value, low: low, high: high, isAtLeast: isAtLeast) }
  /// The one-sided bound at `confidence` that decided the verdict, such as the lower bound if an upper limit is broken.
  /// Nil without enough data.
  var bound: Double?
  public var n: Int
  /// The budget's limit in the metric's unit; nil while Apple's goal is unknown.
  public var target: Double?
  /// Apple's goal, if that is the limit.
  package var appleGoal: AppleGoal?
  /// The value at which a warning starts, in the metric's unit; nil for no warning.
  public var warnTarget: Double?
  /// Whether lower or higher values are better.
  public var direction: Metric.Direction
  public var basis: Basis
  /// The confidence of `bound`, such as 0.95.
  var confidence: Double
  public var slice: Slice
  public var window: Window
  /// Whether too few data are a warning (`require data`).
  public var requiresData: Bool
  /// The tests that open and close incidents; nil if not requested or without data.
  var incidentTests: IncidentSignificanceTests?

  init(
    budget: String, metric: String, unit: MetricUnit, statistic: String?, verdict: Verdict, reason: Reason? = nil,
    needed: Int? = nil, value: Double? = nil, low: Double? = nil, high: Double? = nil, n: Int = 0, target: Double?,
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

  /// Why there are too few data for a verdict.
  enum Reason: String, Sendable, CaseIterable {
    /// There are too few events to prove that the budget is met, even if none were bad.
    case few
    /// The value is too close to the budget for this number of events.
    case close
    /// The source's buckets are too wide near the budget, so more events do not help.
    case coarse
    /// The metric is a plain count that grows with use, so it cannot be judged against a limit.
    case count
    /// No data in the window match the budget: there is no such release, device, OS version or label.
    case unmatched
    /// The limit is Apple's goal, and none was imported.
    case noGoal = "no_goal"
  }
}

public import Core
public import Storage

/// The judgement on an app: the verdicts on its newest release in use, with those on the previous release.
///
/// The overview, the app's page, the budgets page, `plumb report` and `plumb check` all show this judgement, so they
/// cannot contradict each other. Each release is judged over its lifetime, unless the query has a first day.
public struct Judgement: Sendable, Equatable {
  /// The judged release; nil for the whole app, which is judged on request or if no release is known to be in use.
  public var release: ReleaseReport?
  /// The previous release, for comparison; nil if there is none.
  public var previous: ReleaseReport?
  /// The days of the verdicts.
  public var window: Window
  public var slice: Slice
  /// The result of each budget: first the team's budgets, then the defaults whose metric has data.
  public var budgets: [JudgedBudget] = []
  /// Named releases newer than `release` with too little adoption to be judged, newest first.
  public var waiting: [ReleaseReport] = []

  /// The minimum adoption, from 0 to 1, of a judged release.
  public static let leastAdoption = 0.05

  public var results: [BudgetResult] { budgets.map(\.result) }

  /// The verdict on all budgets together.
  public var verdict: Verdict { Verdict.worst(of: results.map(\.verdict)) }

  /// The budgets that are broken or have a warning, worst first.
  public var broken: [JudgedBudget] {
    budgets.filter { $0.result.verdict == .broken || $0.result.verdict == .warning }.enumerated()
      .sorted { ($0.element.result.verdict.order, $0.offset) < ($1.element.result.verdict.order, $1.offset) }
      .map(\.element)
  }

  /// The number of budgets with each verdict.
  public var counts: [Verdict: Int] { Dictionary(results.map { ($0.verdict, 1) }, uniquingKeysWith: +) }

  /// The first result of a metric, such as `sessions.crash_free`.
  public func budget(on metric: String) -> JudgedBudget? { budgets.first { $0.result.metric == metric } }

  /// The advice on the rollout of the release.
  public var advice: Advice {
    if slice.environment == Scope.simulated { return .wait }
    switch results.isEmpty ? .notEnoughData : verdict {
    case .broken: return .hold
    case .warning: return .watch
    case .within: return .ship
    case .notEnoughData: return .wait
    }
  }

  /// The advice on the rollout of a release.
  public enum Advice: String, Sendable, CaseIterable {
    /// Stop the rollout: a budget is broken.
    case hold
    /// Watch the rollout: a warning level is exceeded.
    case watch
    /// Continue the rollout: most budgets are met and none is broken.
    case ship
    /// Wait for more data before deciding.
    case wait
  }
}

/// The result of one budget, with its result for the previous release.
public struct JudgedBudget: Sendable, Equatable {
  /// The metric's title: `Launch to first draw`.
  public var title: String
  public var result: BudgetResult
  /// The result of the same budget for the previous release, over that release's lifetime; nil if there is none.
  public var before: BudgetResult?
  /// The trends of both releases over the same days.
  public var trend: [TrendPoint]
  public var trendBefore: [TrendPoint]
  /// When a broken budget or a warning began: the first day of the release, or of the previous release if that broke
  /// the budget as badly. For a whole app, the first of the consecutive days up to the newest on which the limit was
  /// exceeded. Nil if unknown.
  public var since: CalendarDay?
  /// For a broken budget or a warning: the verdicts for each device class, worst first.
  public var classes: [SliceVerdict]
  /// For a broken budget or a warning on a metric with labels: the verdicts for each screen, host or other label, worst
  /// first, at most `mostLabels`.
  public var labels: [SliceVerdict] = []
  /// What to check first if the budget is broken.
  public var advice: String?
  /// The name of the metric's guide, such as `launch`.
  public var guide: String?

  init(
    title: String, result: BudgetResult, before: BudgetResult? = nil, trend: [TrendPoint] = [],
    trendBefore: [TrendPoint] = [], since: CalendarDay? = nil, classes: [SliceVerdict] = [], advice: String? = nil,
    guide: String? = nil
  ) {
    self.title = title
    self.result = result
    self.before = before
    self.trend = trend
    self.trendBefore = trendBefore
    self.since = since
    self.classes = classes
    self.advice = advice
    self.guide = guide
  }

  /// The maximum number of labels. Apps send hundreds of labels; the worst ones are enough.
  static let mostLabels = 20

  /// Whether the previous release broke the budget as badly.
  public var wasBroken: Bool { before.map { $0.verdict.order <= result.verdict.order } ?? false }
}

/// The verdict on a budget for one part of the data.
public struct SliceVerdict: Sendable, Equatable {
  /// The dimension that divides the data: `release`, `os`, `device_class`, `label`.
  public var dimension: String
  /// The member of the dimension: `4.2.0 (1234)`, `iOS 18.1`, `iPhone 12 and older`, `Cart`.
  public var key: String
  public var result: BudgetResult

  public init(dimension: String, key: String, result: BudgetResult) {
    self.dimension = dimension
    self.key = key
    self.result = result
  }
}

extension Verdict {
  /// The sort order: the worst verdict is 0.
  var order: Int {
    switch self {
    case .broken: 0
    case .warning: 1
    case .notEnoughData: 2
    case .within: 3
    }
  }
}

extension Judgement: APIObject {
  public static let fields = Fields<Self>(
    "Judgement",
    "The verdicts on the requested release or on the newest release with at least 5 % adoption, or else on the whole "
      + "app."
  ) {
    Field("advice", \.advice)
    Field("release", \.release, "The judged release; null for the whole app.")
    Field("previous", \.previous?.release.title, "The previous release.")
    Field("window", \.window)
    Field("slice", \.slice)
    Field("budgets", \.budgets, "In the order of the budgets.")
  }
}

extension JudgedBudget: APIObject {
  public static let fields = Fields<Self>(
    "JudgedBudget", "A budget of the judged release, with its result for the previous release."
  ) {
    Field("title", \.title, "The metric's title.")
    Field(
      "since", \.since,
      "For a broken budget or a warning: the first day of the release, or of the previous release if its result was as "
        + "bad. For the whole app: the first of the latest consecutive days beyond the budget.")
    Field("result", \.result)
    Field("before", \.before, "The result for the previous release, over that release's lifetime.")
    Field("device_classes", \.classes, "For a broken budget or a warning: each device class, worst first.")
    Field(
      "labels", \.labels,
      "For a broken budget or a warning on a metric with labels: each screen, host or other label, worst first.",
      schema: .array(of: SliceVerdict.schema, atMost: mostLabels))
    Field("guide", \.guide, "The name of the metric's guide.")
  }
}

extension SliceVerdict: APIObject {
  public static let fields = Fields<Self>("BudgetSlice", "The result of a budget for one part of the data.") {
    Field("dimension", \.dimension, schema: .oneOf(["release", "device_class", "os", "label"]))
    Field("key", \.key)
    Field("result", \.result)
  }
}

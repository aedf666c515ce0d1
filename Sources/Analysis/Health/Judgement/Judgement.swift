public import Core
public import Storage

/// The one judgement on an app: the verdicts on its newest release in use, beside those on the release before it.
///
/// The first page, the app's page, the budgets page, `plumb report` and `plumb check` all show this, so that no two of
/// them contradict each other. Each release is judged over its own lifetime, unless a first day was asked for.
public struct Judgement: Sendable, Equatable {
  /// The release that is judged; nil for the whole app: if that was asked for, or if no release is known to be in use.
  public var release: ReleaseReport?
  /// The release before `release`, whose numbers stand beside its own; nil if there is none.
  public var previous: ReleaseReport?
  /// The days and the slice that the verdicts are about.
  public var window: Window
  public var slice: Slice
  /// The result of each budget, in the order of the budgets: the team's, then the defaults whose metric has data.
  public var budgets: [JudgedBudget] = []
  /// Named releases newer than `release` that too few people use to be judged, the newest first.
  public var waiting: [ReleaseReport] = []

  /// The least share of the last day's use from which a release is judged.
  public static let leastAdoption = 0.05

  public var results: [BudgetResult] { budgets.map(\.result) }

  /// The verdict on all budgets together.
  public var verdict: Verdict { Verdict.worst(of: results.map(\.verdict)) }

  /// The budgets that are broken or warn, the worst first.
  public var broken: [JudgedBudget] {
    budgets.filter { $0.result.verdict == .broken || $0.result.verdict == .warning }.enumerated()
      .sorted { ($0.element.result.verdict.order, $0.offset) < ($1.element.result.verdict.order, $1.offset) }
      .map(\.element)
  }

  /// The number of budgets with each verdict.
  public var counts: [Verdict: Int] { Dictionary(results.map { ($0.verdict, 1) }, uniquingKeysWith: +) }

  /// The first result of a metric, such as `sessions.crash_free`.
  public func budget(on metric: String) -> JudgedBudget? { budgets.first { $0.result.metric == metric } }

  /// Whether to go on with the rollout of the release.
  public var advice: Advice {
    if slice.environment == Scope.simulated { return .wait }
    switch results.isEmpty ? .notEnoughData : verdict {
    case .broken: return .hold
    case .warning: return .watch
    case .within: return .ship
    case .notEnoughData: return .wait
    }
  }

  /// What to do about the rollout of a release.
  public enum Advice: String, Sendable, CaseIterable {
    /// Stop the rollout: a budget is broken.
    case hold
    /// Watch the rollout: a warning level is exceeded.
    case watch
    /// Continue the rollout: most budgets are met and none is broken.
    case ship
    /// Wait with a decision: there are too few data.
    case wait
  }
}

/// The result of one budget, beside that of the release before.
public struct JudgedBudget: Sendable, Equatable {
  /// The metric's title: `Launch to first draw`.
  public var title: String
  public var result: BudgetResult
  /// The result of the same budget on the release before, over that one's lifetime; nil if there is none.
  public var before: BudgetResult?
  /// The trends of both releases over the same days.
  public var trend: [TrendPoint]
  public var trendBefore: [TrendPoint]
  /// If the budget is broken or warns: the first day of the oldest of the two releases that breaks it or, of a whole
  /// app, of the days in a row up to the newest on which it was exceeded. Nil if unknown.
  public var since: CalendarDay?
  /// If the budget is broken or warns: the verdicts on it for each device class, the worst first.
  public var classes: [SliceVerdict]
  /// If the budget is broken or warns, and its metric has labels: the verdicts on it for each screen, host or other
  /// label, the worst first, at most `mostLabels`.
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

  /// Apps send hundreds of labels; the first ones are those to look at.
  static let mostLabels = 20

  /// Whether the release before broke the budget as badly.
  public var wasBroken: Bool { before.map { $0.verdict.order <= result.verdict.order } ?? false }
}

/// The verdict on a budget for one part of the data.
public struct SliceVerdict: Sendable, Equatable {
  /// What divides the data: `release`, `os`, `device_class`, `label`.
  public var dimension: String
  /// The part: `4.2.0 (1234)`, `iOS 18.1`, `iPhone 12 and older`, `Cart`.
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
    "The verdicts on the newest release with at least 5 % of the last day's use, on the one that was asked for, or on the "
      + "whole app."
  ) {
    Field("advice", \.advice)
    Field("release", \.release, "What is judged; null for the whole app.")
    Field("previous", \.previous?.release.title, "The release before.")
    Field("window", \.window)
    Field("slice", \.slice)
    Field("budgets", \.budgets, "In the order of the budgets.")
  }
}

extension JudgedBudget: APIObject {
  public static let fields = Fields<Self>(
    "JudgedBudget", "A budget of the judged release, beside the release before it."
  ) {
    Field("title", \.title, "The name of the metric for people.")
    Field(
      "since", \.since,
      "Of what is broken or warns: the first day of the release, or of the one before if that broke it as badly; of the "
        + "whole app, the first of the days in a row up to the newest on which it was exceeded.")
    Field("result", \.result)
    Field("before", \.before, "The same budget on the release before, over its own life.")
    Field("device_classes", \.classes, "Of what is broken or warns: each class of devices, the worst first.")
    Field(
      "labels", \.labels,
      "Of what is broken or warns, of a metric with labels: each screen, host or other label, the worst first.",
      schema: .array(of: SliceVerdict.schema, atMost: mostLabels))
    Field("guide", \.guide, "The name of the guide.")
  }
}

extension SliceVerdict: APIObject {
  public static let fields = Fields<Self>("BudgetSlice", "A budget on one part of the data.") {
    Field("dimension", \.dimension, schema: .oneOf(["release", "device_class", "os", "label"]))
    Field("key", \.key)
    Field("result", \.result)
  }
}

/// An app's judgement with its releases, for its page and its card on the first page.
public struct AppStatus: Sendable {
  /// The app's bundle identifier.
  public var app: String
  public var judgement: Judgement
  /// The days that the page shows.
  var window: Window
  /// Why an environment other than production is shown; nil for production.
  public var environmentNote: String?
  /// The releases with data in the window, the newest first. Those that are judged have the numbers of the judgement.
  public var releases: [ReleaseReport] = []
  /// Days between the newest day with data and today; nil without data.
  public var staleDays: Int?
  /// The sequence number in the journal up to which payloads are included in the numbers.
  public var digestedThrough: Int64 = 0
  public var asOf: Timestamp
}

extension HealthReader {
  /// The status of an app.
  public func status(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> AppStatus {
    let scope = try scope(of: app, query, now: now)
    let releases = try releases(scope)
    let judgement = try judgement(scope, query, releases: releases)
    return AppStatus(
      app: scope.bundleID, judgement: judgement, window: scope.window, environmentNote: scope.environmentNote,
      releases: releases.map { Self.agreeing($0, judgement) }, staleDays: scope.staleDays,
      digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  /// A release with the crash-free rate of its judgement, which is over its lifetime, so that one release has one rate
  /// on one page.
  private static func agreeing(_ report: ReleaseReport, _ judgement: Judgement) -> ReleaseReport {
    let judged = judgement.budget(on: "sessions.crash_free")
    let result =
      report.release == judgement.release?.release
      ? judged?.result : report.release == judgement.previous?.release ? judged?.before : nil
    guard let result, result.value != nil else { return report }
    var report = report
    report.crashFree.estimate = Estimate(value: result.value, low: result.low, high: result.high)
    report.crashFree.n = result.n
    return report
  }
}

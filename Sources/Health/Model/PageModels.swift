public import Storage
public import Telemetry

/// What the first page shows: every app with its verdict.
public struct OverviewModel: Sendable {
  public var apps: [AppSummary]
  /// When the numbers were read.
  public var asOf: Timestamp

  public init(apps: [AppSummary], asOf: Timestamp) {
    self.apps = apps
    self.asOf = asOf
  }
}

/// One app on the first page.
public struct AppSummary: Sendable {
  /// The bundle identifier.
  public var id: String
  /// The worst verdict of its budgets; nil when nothing was received yet.
  public var verdict: Verdict?
  /// How many budgets have each verdict.
  public var verdictCounts: [Verdict: Int]
  public var crashFree: RatioEstimate
  public var crashFreeTrend: [TrendPoint]
  public var sessions: Int
  /// Release with the highest adoption, and that adoption.
  public var mainRelease: ReleaseReport?
  public var window: Window?
  /// Which environment the numbers are of, where it is not production.
  public var environmentNote: String?
  public var staleDays: Int?
  /// Why nothing is judged: the app's budget file has an error.
  public var budgetError: String?

  public init(
    id: String, verdict: Verdict?, verdictCounts: [Verdict: Int] = [:], crashFree: RatioEstimate = .init(),
    crashFreeTrend: [TrendPoint] = [], sessions: Int = 0, mainRelease: ReleaseReport? = nil, window: Window? = nil,
    environmentNote: String? = nil, staleDays: Int? = nil, budgetError: String? = nil
  ) {
    self.id = id
    self.verdict = verdict
    self.verdictCounts = verdictCounts
    self.crashFree = crashFree
    self.crashFreeTrend = crashFreeTrend
    self.sessions = sessions
    self.mainRelease = mainRelease
    self.window = window
    self.environmentNote = environmentNote
    self.staleDays = staleDays
    self.budgetError = budgetError
  }
}

/// What an app's page shows.
public struct AppStatus: Sendable {
  public var report: HealthReport
  /// One per budget that has data, worst first within the catalogue's order.
  public var vitals: [Vital]
  /// Verdicts on the two newest adopted releases, each over its own life.
  public var releaseResults: [BudgetResult]
  /// Whether the newest releases may go on, the newest first.
  public var decisions: [ReleaseDecision]
  /// What is broken or warns, the worst first.
  public var breakages: [Breakage]
  /// All environments that have data.
  public var environments: [String]
  public var asOf: Timestamp

  public init(
    report: HealthReport, vitals: [Vital], releaseResults: [BudgetResult], decisions: [ReleaseDecision] = [],
    breakages: [Breakage] = [], environments: [String], asOf: Timestamp
  ) {
    self.report = report
    self.vitals = vitals
    self.releaseResults = releaseResults
    self.decisions = decisions
    self.breakages = breakages
    self.environments = environments
    self.asOf = asOf
  }
}

/// A budget with the metric's course over the window.
public struct Vital: Sendable {
  public var title: String
  public var result: BudgetResult
  public var trend: [TrendPoint]
  /// What to open first when it breaks.
  public var advice: String?
  /// The family of guides.
  public var guide: String?

  public init(
    title: String, result: BudgetResult, trend: [TrendPoint], advice: String?, guide: String? = nil
  ) {
    self.title = title
    self.result = result
    self.trend = trend
    self.advice = advice
    self.guide = guide
  }
}

/// A day of a trend, or some days together. One without data keeps its place, with nothing in it.
public struct TrendPoint: Sendable, Equatable {
  /// The first day.
  public var day: CalendarDay
  /// How many days it stands for.
  public var days: Int
  public var estimate: Estimate
  public var n: Int

  public init(day: CalendarDay, days: Int = 1, estimate: Estimate, n: Int) {
    self.day = day
    self.days = days
    self.estimate = estimate
    self.n = n
  }

  init(_ step: Window, estimate: Estimate, n: Int) {
    self.init(day: step.from, days: step.days, estimate: estimate, n: n)
  }

  /// The last day.
  public var lastDay: CalendarDay { day + (days - 1) }
}

/// What a metric's page shows.
public struct MetricModel: Sendable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  /// The metric over the whole window and slice.
  public var report: MetricReport
  /// The catalogue's entry; nil for a custom metric.
  public var metric: Metric?
  /// Verdicts of the budgets on this metric.
  public var budgets: [BudgetResult]
  /// Percentiles by rank over the window (50, 90, 95 for a distribution); rank 0 holds the value of other kinds.
  public var trends: [Int: [TrendPoint]]
  /// Trends of what only a budget asks for, by its name: `mean`, `p99`.
  public var budgetTrends: [String: [TrendPoint]]
  /// First day of each release in the window, oldest first.
  public var releaseMarkers: [ReleaseMarker]
  /// How the values are spread; empty for other kinds.
  public var distribution: [DistributionBar]
  public var byRelease: [Breakdown]
  public var byDeviceClass: [Breakdown]
  public var bySystem: [Breakdown]
  public var byDevice: [Breakdown]
  public var byLabel: [Breakdown]
  public var asOf: Timestamp

  public init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, report: MetricReport, metric: Metric?,
    budgets: [BudgetResult], trends: [Int: [TrendPoint]], budgetTrends: [String: [TrendPoint]] = [:],
    releaseMarkers: [ReleaseMarker],
    distribution: [DistributionBar], byRelease: [Breakdown], byDeviceClass: [Breakdown] = [],
    bySystem: [Breakdown] = [], byDevice: [Breakdown], byLabel: [Breakdown],
    asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.report = report
    self.metric = metric
    self.budgets = budgets
    self.trends = trends
    self.budgetTrends = budgetTrends
    self.releaseMarkers = releaseMarkers
    self.distribution = distribution
    self.byRelease = byRelease
    self.byDeviceClass = byDeviceClass
    self.bySystem = bySystem
    self.byDevice = byDevice
    self.byLabel = byLabel
    self.asOf = asOf
  }
}

/// The first day of a release on a chart.
public struct ReleaseMarker: Sendable, Equatable {
  public var day: CalendarDay
  public var version: String

  public init(day: CalendarDay, version: String) {
    self.day = day
    self.version = version
  }
}

/// A bar of a distribution: how many values lie in [low, high). The last bar may have no upper end.
public struct DistributionBar: Sendable, Equatable {
  public var low: Double
  public var high: Double?
  public var count: Double

  public init(low: Double, high: Double?, count: Double) {
    self.low = low
    self.high = high
    self.count = count
  }
}

/// One row of a table by release, device or label.
public struct Breakdown: Sendable, Equatable {
  /// `4.2.0 (1234)`, `iPhone15,2`, `CartView`
  public var key: String
  /// What people read: the device's marketing name where it is known; else the key.
  public var title: String
  public var report: MetricReport
  /// Against the metric's first budget; nil when there is none.
  public var verdict: Verdict?
  /// The course of the number its budget is about, else of the median; empty where it is not asked for.
  public var trend: [TrendPoint]

  public init(key: String, title: String, report: MetricReport, verdict: Verdict?, trend: [TrendPoint] = []) {
    self.key = key
    self.title = title
    self.report = report
    self.verdict = verdict
    self.trend = trend
  }
}

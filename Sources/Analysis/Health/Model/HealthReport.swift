public import Core
public import Storage

/// The metrics and verdicts of one app over a window and slice, for pages, API, `plumb report` and `plumb check`.
public struct HealthReport: Sendable, Equatable {
  /// The app's bundle identifier.
  public var app: String
  public var window: Window
  /// The slice that was read, including its environment.
  public var slice: Slice
  /// Why an environment other than production is shown; nil for production.
  public var environmentNote: String?
  public var sessions: SessionReport
  public var users: UserReport
  public var metrics: [MetricReport]
  public var exits: ExitReport
  /// The results of the budgets on this window and slice.
  public var budgets: [BudgetResult]
  /// The judgement on the app, which pages show; nil in a report that is not for display.
  var judgement: Judgement?
  var releases: [ReleaseReport]
  var burn: BurnReport
  /// The watermark: the sequence number in the journal up to which payloads are digested.
  var digestedThrough: Int64
  /// Days between the newest day with data and today; nil without data.
  var staleDays: Int?

  init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, sessions: SessionReport = .init(),
    users: UserReport = .init(), metrics: [MetricReport] = [], exits: ExitReport = .init(),
    budgets: [BudgetResult] = [], releases: [ReleaseReport] = [], burn: BurnReport = .init(),
    digestedThrough: Int64 = 0, staleDays: Int? = nil
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.sessions = sessions
    self.users = users
    self.metrics = metrics
    self.exits = exits
    self.budgets = budgets
    self.releases = releases
    self.burn = burn
    self.digestedThrough = digestedThrough
    self.staleDays = staleDays
  }

  /// The version of the JSON format.
  public static let schema = 1
}

/// The number of sessions by outcome. The five outcomes add up to the total.
public struct SessionReport: Sendable, Equatable {
  public var counts: [SessionOutcome: Int]
  public var crashFree: RatioEstimate
  /// The share without a hang, of the sessions whose client reports hangs.
  public var hangFree: RatioEstimate

  public init(
    counts: [SessionOutcome: Int] = [:], crashFree: RatioEstimate = .init(), hangFree: RatioEstimate = .init()
  ) {
    self.counts = counts
    self.crashFree = crashFree
    self.hangFree = hangFree
  }

  public var total: Int { counts.values.reduce(0) { $0.addingSaturated($1) } }
}

/// The number of distinct users over the window.
public struct UserReport: Sendable, Equatable {
  /// The number of users. Nil if unknown: clients send no users, or the slice has two filters.
  public var total: Int?
  public var crashed: Int?
  public var crashFree: RatioEstimate
  /// The share of crash-free user-days.
  public var crashFreeDaily: RatioEstimate

  public init(
    total: Int? = nil, crashed: Int? = nil, crashFree: RatioEstimate = .init(), crashFreeDaily: RatioEstimate = .init()
  ) {
    self.total = total
    self.crashed = crashed
    self.crashFree = crashFree
    self.crashFreeDaily = crashFreeDaily
  }
}

/// Counts of the reasons for which iOS ended the app; nil if no payload contains counts. A missing reason means 0.
public struct ExitReport: Sendable, Equatable {
  public var foreground: [ExitReason: Int]?
  public var background: [ExitReason: Int]?
}

/// The numbers of one build of the app in one environment.
public struct ReleaseReport: Sendable, Equatable {
  public var release: Release
  public var sessions: Int
  /// The number of MetricKit payloads, for apps that send no sessions.
  public var payloads: Int
  /// The share of the last day's sessions (of payloads for apps without sessions), 0 to 1; nil if there were none.
  public var adoption: Double?
  /// The share of the last day's distinct users, 0 to 1; nil if users are unknown.
  public var adoptionDevices: Double?
  /// The stage of the release; nil for payloads that span several releases.
  public var stage: ReleaseStage?
  /// The build's share of its version's sessions (of payloads for apps without sessions), 0 to 1.
  var shareOfRelease: Double?
  public var firstSeen: CalendarDay
  public var lastSeen: CalendarDay
  public var crashFree: RatioEstimate
  /// The age of the build's oldest stored row, in minutes; nil unless requested.
  var age: Int?
  /// The use by arrivals in the last three days; nil if not requested or if the app had no sessions on these days.
  var arrivals: ArrivalUse?

  init(
    release: Release, sessions: Int, payloads: Int, adoption: Double?, adoptionDevices: Double? = nil,
    stage: ReleaseStage? = nil, shareOfRelease: Double? = nil, firstSeen: CalendarDay, lastSeen: CalendarDay,
    crashFree: RatioEstimate
  ) {
    self.release = release
    self.sessions = sessions
    self.payloads = payloads
    self.adoption = adoption
    self.adoptionDevices = adoptionDevices
    self.stage = stage
    self.shareOfRelease = shareOfRelease
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
    self.crashFree = crashFree
  }
}

/// The numbers of one metric over a window and slice.
public struct MetricReport: Sendable, Equatable {
  /// The metric's name: `launch.first_draw`.
  public var name: String
  /// The metric's title, `Launch to first draw`; its name for a metric outside the catalogue.
  public var title: String
  public var unit: MetricUnit
  public var kind: Metric.Kind
  public var weight: Metric.Weight
  /// The screen, host or view; nil for all labels together.
  public var label: String?
  /// The source of the data. Data of several sources that measure the same metric are never added.
  public var source: Source
  /// The sample size: the number of values of a distribution, or of events in the denominator of a ratio.
  public var n: Int = 0
  /// The number of payloads that contained the metric.
  public var payloads: Int = 0
  public var nEffective: Double?
  /// The relative error of a percentile's value due to the source's buckets; nil for other kinds.
  public var error: Double?
  public var sum: Double?
  public var minimum: Double?
  public var maximum: Double?
  public var mean: Double?
  /// True if sum, minimum and maximum were estimated from buckets instead of values.
  public var isEstimated: Bool = false
  /// The value of a ratio, rate or counter, with its interval; empty for a distribution.
  public var value: Estimate = .unknown
  public var numerator: Double?
  public var denominator: Double?
  /// Estimates by percentile rank: 10, 50, 75, 90, 95, 99. Empty for kinds other than distributions.
  public var percentiles: [Int: Estimate] = [:]

  /// The percentile ranks in every report on a distribution.
  public static let ranks = [10, 50, 75, 90, 95, 99]
}

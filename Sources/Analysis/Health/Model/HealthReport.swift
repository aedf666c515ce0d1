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

  public var total: Int { counts.values.reduce(0) { $0.saturatingAdd($1) } }
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

public import Storage
public import Telemetry

/// Everything known about one app over a window and slice. Pages, API, `report` and `check` all read this.
public struct HealthReport: Sendable, Equatable {
  /// The bundle identifier.
  public var app: String
  public var window: Window
  /// The slice that was read, with the environment that was chosen.
  public var slice: Slice
  /// Why another environment than production is shown; nil when production is.
  public var environmentNote: String?
  public var sessions: SessionReport
  public var users: UserReport
  public var metrics: [MetricReport]
  public var exits: ExitReport
  public var budgets: [BudgetResult]
  public var releases: [ReleaseReport]
  public var burn: BurnReport
  /// The sequence up to which received payloads are in these numbers.
  public var digestedThrough: Int64
  /// Days between the newest day with data and today; nil without data.
  public var staleDays: Int?

  public init(
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

  /// The version of the JSON contract.
  public static let schema = 1
}

/// Sessions by outcome. The five outcomes sum to the total.
public struct SessionReport: Sendable, Equatable {
  public var counts: [SessionOutcome: Int]
  public var crashFree: RatioEstimate

  public init(counts: [SessionOutcome: Int] = [:], crashFree: RatioEstimate = .init()) {
    self.counts = counts
    self.crashFree = crashFree
  }

  public var total: Int { counts.values.reduce(0) { $0.addingSaturated($1) } }
}

/// Distinct users over the window.
public struct UserReport: Sendable, Equatable {
  /// Nil where they are not known: clients did not name them, or two filters meet.
  public var total: Int?
  public var crashed: Int?
  public var crashFree: RatioEstimate
  /// Of user-days, not of users.
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

/// Why iOS ended the app; nil where no payload said, a missing reason is 0.
public struct ExitReport: Sendable, Equatable {
  public var foreground: [ExitReason: Int]?
  public var background: [ExitReason: Int]?

  public init(foreground: [ExitReason: Int]? = nil, background: [ExitReason: Int]? = nil) {
    self.foreground = foreground
    self.background = background
  }
}

/// One build of the app in the environment that was read.
public struct ReleaseReport: Sendable, Equatable {
  public var release: Release
  public var sessions: Int
  /// MetricKit payloads, for apps that send no sessions.
  public var payloads: Int
  /// Share of the last day's sessions (payloads without sessions), 0 to 1; nil when there were none.
  public var adoption: Double?
  /// Share of the last day's distinct users, 0 to 1; nil where users are not known.
  public var adoptionDevices: Double?
  /// Nil for payloads that span several releases.
  public var stage: ReleaseStage?
  /// What this build contributes to the sessions (payloads without sessions) of its version, 0 to 1.
  public var shareOfRelease: Double?
  public var firstSeen: CalendarDay
  public var lastSeen: CalendarDay
  public var crashFree: RatioEstimate
  /// Minutes from the first row of it that is kept to the moment of reading; nil unless it was requested.
  public var age: Int?

  public init(
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

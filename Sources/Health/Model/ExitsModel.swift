public import Storage
public import Telemetry

/// What the page of exits shows: why iOS ended the app, in people's hands and behind their backs.
public struct ExitsModel: Sendable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  public var exits: ExitReport
  /// Launches and resumes of the payloads that count exits; nil where no payload says.
  public var launches: Double?
  /// One per reason that was counted or could be, normal first.
  public var rows: [ExitRow]
  /// Foreground terminations per 1,000 launches and resumes; nil where no payload says.
  public var terminations: MetricReport?
  /// The same day by day.
  public var trend: [TrendPoint]
  public var releaseMarkers: [ReleaseMarker]
  public var byRelease: [Breakdown]
  public var byDeviceClass: [Breakdown]
  /// The budgets on exits.
  public var budgets: [BudgetResult]
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, exits: ExitReport,
    launches: Double? = nil, rows: [ExitRow], terminations: MetricReport? = nil, trend: [TrendPoint] = [],
    releaseMarkers: [ReleaseMarker] = [], byRelease: [Breakdown] = [], byDeviceClass: [Breakdown] = [],
    budgets: [BudgetResult] = [], digestedThrough: Int64 = 0, asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.exits = exits
    self.launches = launches
    self.rows = rows
    self.terminations = terminations
    self.trend = trend
    self.releaseMarkers = releaseMarkers
    self.byRelease = byRelease
    self.byDeviceClass = byDeviceClass
    self.budgets = budgets
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }
}

/// How often iOS ended the app for one reason.
public struct ExitRow: Sendable, Equatable {
  public var reason: ExitReason
  /// Nil where no payload said anything.
  public var foreground: Int?
  public var background: Int?
  /// Per 1,000 launches and resumes; nil where those are not known.
  public var foregroundRate: Double?
  public var backgroundRate: Double?

  public init(
    reason: ExitReason, foreground: Int? = nil, background: Int? = nil, foregroundRate: Double? = nil,
    backgroundRate: Double? = nil
  ) {
    self.reason = reason
    self.foreground = foreground
    self.background = background
    self.foregroundRate = foregroundRate
    self.backgroundRate = backgroundRate
  }
}

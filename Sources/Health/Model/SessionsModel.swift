public import Storage
public import Telemetry

/// What the page of sessions and users shows.
public struct SessionsModel: Sendable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  public var sessions: SessionReport
  public var users: UserReport
  /// Every day of the window, or some together.
  public var days: [SessionDay]
  /// First day of each release in the window, oldest first.
  public var releaseMarkers: [ReleaseMarker]
  /// The first budget on crash-free sessions; nil without one.
  public var budget: BudgetResult?
  /// Crash-free sessions by part.
  public var byRelease: [Breakdown]
  public var byDeviceClass: [Breakdown]
  public var bySystem: [Breakdown]
  public var burn: BurnReport
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, sessions: SessionReport,
    users: UserReport, days: [SessionDay], releaseMarkers: [ReleaseMarker] = [], budget: BudgetResult? = nil,
    byRelease: [Breakdown] = [], byDeviceClass: [Breakdown] = [], bySystem: [Breakdown] = [],
    burn: BurnReport = .init(), digestedThrough: Int64 = 0, asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.sessions = sessions
    self.users = users
    self.days = days
    self.releaseMarkers = releaseMarkers
    self.budget = budget
    self.byRelease = byRelease
    self.byDeviceClass = byDeviceClass
    self.bySystem = bySystem
    self.burn = burn
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }
}

/// The sessions that started on a day, or on some days together. Days without any keep their place.
public struct SessionDay: Sendable, Equatable {
  /// The first day.
  public var day: CalendarDay
  /// How many days it stands for.
  public var days: Int
  public var sessions: SessionReport
  public var users: UserReport

  public init(day: CalendarDay, days: Int = 1, sessions: SessionReport = .init(), users: UserReport = .init()) {
    self.day = day
    self.days = days
    self.sessions = sessions
    self.users = users
  }
}

public import Storage
import Telemetry

/// Everything that rules look at to find what is broken in one app, from one reading.
public struct IncidentChecks: Sendable {
  /// The bundle identifier.
  public var app: String
  /// The slice that was read, with the environment that was chosen.
  public var slice: Slice
  /// What `check` says: the app, then its newest releases. All carry `incidentTests` where something was measured.
  public var results: [BudgetResult]
  /// The same of older releases that were asked for.
  public var watched: [BudgetResult]
  /// Of the app, then of the releases.
  public var burns: [BurnCheck]
  /// Each release with the one that was adopted before it.
  public var comparisons: [ReleaseComparison]
  /// Causes of crashes and hangs in the newest releases; nil if groups were not read.
  public var watchedGroups: [GroupWatch]?
  /// Newest first.
  public var releases: [ReleaseReport]
  /// Every budget in force, as it is written.
  public var budgets: [String]
  public var freshness: ArrivalRhythm
  public var digestedThrough: Int64

  public init(
    app: String, slice: Slice, results: [BudgetResult] = [], watched: [BudgetResult] = [], burns: [BurnCheck] = [],
    comparisons: [ReleaseComparison] = [], watchedGroups: [GroupWatch]? = nil, releases: [ReleaseReport] = [],
    budgets: [String] = [],
    freshness: ArrivalRhythm = .init(), digestedThrough: Int64 = 0
  ) {
    self.app = app
    self.slice = slice
    self.results = results
    self.watched = watched
    self.burns = burns
    self.comparisons = comparisons
    self.watchedGroups = watchedGroups
    self.releases = releases
    self.budgets = budgets
    self.freshness = freshness
    self.digestedThrough = digestedThrough
  }
}

extension IncidentChecks {
  public var groups: [GroupWatch] { watchedGroups ?? [] }
  public var hasGroups: Bool { watchedGroups != nil }
}

/// How fast crashes use up the error budget of one slice.
public struct BurnCheck: Sendable {
  public var slice: Slice
  public var report: BurnReport

  public init(slice: Slice, report: BurnReport) {
    self.slice = slice
    self.report = report
  }
}

public import Storage
import Telemetry

/// The input of all alert rules for one app, read from one snapshot of the store.
public struct AlertRuleInput: Sendable {
  /// The app's bundle identifier.
  public var app: String
  /// The slice that was read, including its environment.
  public var slice: Slice
  /// The results of the app as a whole, then those of its newest releases. Each has `incidentTests` unless
  /// nothing was measured.
  public var results: [BudgetResult]
  /// The results of older releases that have open incidents.
  public var watched: [BudgetResult]
  /// Burn rates of the app, then of its releases.
  public var burns: [BurnCheck]
  /// Comparisons of each release with the one that was adopted before it.
  public var comparisons: [ReleaseComparison]
  /// Groups of crashes and hangs in the newest releases; nil if groups were not read.
  public var watchedGroups: [WatchedGroup]?
  /// The releases with data, newest first.
  public var releases: [ReleaseReport]
  /// The texts of all budgets that apply.
  public var budgets: [String]
  public var freshness: PayloadFreshness
  public var digestedThrough: Int64

  public init(
    app: String, slice: Slice, results: [BudgetResult] = [], watched: [BudgetResult] = [], burns: [BurnCheck] = [],
    comparisons: [ReleaseComparison] = [], watchedGroups: [WatchedGroup]? = nil, releases: [ReleaseReport] = [],
    budgets: [String] = [],
    freshness: PayloadFreshness = .init(), digestedThrough: Int64 = 0
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

extension AlertRuleInput {
  public var groups: [WatchedGroup] { watchedGroups ?? [] }
  public var hasGroups: Bool { watchedGroups != nil }
}

/// The rate at which crashes use up the error budget of one slice.
public struct BurnCheck: Sendable {
  public var slice: Slice
  public var report: BurnReport

  public init(slice: Slice, report: BurnReport) {
    self.slice = slice
    self.report = report
  }
}

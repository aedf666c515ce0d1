import Core
import Storage

/// The input of all alert rules for one app, read from one snapshot of the store.
public struct AlertRuleInput: Sendable {
  /// The app's bundle identifier.
  var app: String
  /// The slice that was read, including its environment.
  var slice: Slice
  /// The results of the app as a whole, then those of its newest releases. Each has `incidentTests` unless
  /// nothing was measured.
  var results: [BudgetResult] = []
  /// The results of older releases that have open incidents.
  var watched: [BudgetResult] = []
  /// Burn rates of the app, then of its releases.
  var burns: [BurnCheck] = []
  /// Comparisons of each release with the one that was adopted before it.
  var comparisons: [ReleaseComparison] = []
  /// Groups of crashes and hangs in the newest releases; nil if groups were not read.
  var watchedGroups: [WatchedGroup]?
  /// The releases with data, newest first.
  var releases: [ReleaseReport] = []
  /// The texts of all budgets that apply.
  var budgets: [String] = []
  var freshness: PayloadFreshness = .init()
  var digestedThrough: Int64 = 0
}

extension AlertRuleInput {
  var groups: [WatchedGroup] { watchedGroups ?? [] }
  var hasGroups: Bool { watchedGroups != nil }
}

/// The rate at which crashes use up the error budget of one slice.
struct BurnCheck: Sendable {
  var slice: Slice
  var report: BurnReport
}

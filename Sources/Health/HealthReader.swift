public import Budgets
public import Storage
package import Telemetry

/// Rows → numbers → verdicts. Pages, API, `report` and `check` all ask here, so that a number has one definition.
///
/// It reads no clock: `now` is passed in.
public struct HealthReader: Sendable {
  let store: any Store & ArrivalHistory
  package let budgets: [Budget]
  /// Why nothing is judged: the budget file has an error. Nil while it can be read.
  public let budgetError: String?
  /// Whether results carry what opens and closes incidents.
  var testsIncidents = false

  /// `budgets` are those in force: the team's, and defaults where it has written nothing.
  public init(store: any Store & ArrivalHistory, budgets: [Budget], budgetError: String? = nil) {
    self.store = store
    self.budgets = budgets
    self.budgetError = budgetError
  }

  /// The same with other budgets.
  package func with(budgets: [Budget]) -> HealthReader {
    var other = HealthReader(store: store, budgets: budgets)
    other.testsIncidents = testsIncidents
    return other
  }

  /// Days of the longest window: a page has a point for every day.
  static let longestWindow = 3660

  package func scope(of app: App, _ query: ReportQuery, now: Timestamp) throws -> Scope {
    let scope = Scope(app: app, inventory: try store.inventory(of: app.id), query: query, now: now)
    guard scope.window.days <= Self.longestWindow else {
      throw InvalidQuery(
        detail: "the window from \(scope.window.from.iso) to \(scope.window.to.iso) has \(scope.window.days) days; "
          + "at most \(Self.longestWindow) can be shown", parameter: "from", isReadable: true)
    }
    return scope
  }

  /// The series of a slice. With `dimension`, one per member.
  package func series(
    _ scope: Scope, metrics: [String]? = nil, dimension: Dimension? = nil, byLabel: Bool = false
  ) throws -> [Series] {
    let chosen = try set(scope, metrics: metrics, dimension: dimension, byLabel: byLabel).chosen
    return dimension == nil && !byLabel ? try withClasses(chosen, scope) : chosen
  }

  /// The series of a slice from all sources.
  func set(
    _ scope: Scope, metrics: [String]? = nil, dimension: Dimension? = nil, byLabel: Bool = false, isWhole: Bool = false,
    leavesOutTotals: Bool = false, where isWanted: (MetricRow) -> Bool = { _ in true }
  ) throws -> SeriesSet {
    var set = SeriesSet(isWhole: isWhole)
    var query = query(scope, metrics, dimension, byLabel)
    query.leavesOutTotals = leavesOutTotals
    try store.forEachRow(of: query) { row in
      if isWanted(row) { set.add(row) }
    }
    return set
  }

  package func rows(_ scope: Scope, metrics: [String]? = nil, dimension: Dimension? = nil) throws -> [MetricRow] {
    try store.rows(query(scope, metrics, dimension, false))
  }

  private func query(
    _ scope: Scope, _ metrics: [String]?, _ dimension: Dimension?, _ byLabel: Bool
  ) -> RowQuery {
    RowQuery(
      app: scope.app, slice: scope.slice, window: scope.window, metrics: metrics, dimension: dimension,
      byLabel: byLabel, bins: .days)
  }
}

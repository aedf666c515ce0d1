package import Core
public import Storage

/// Computes metrics and verdicts from stored rows. Pages, API, `plumb report` and `plumb check` share this
/// implementation.
///
/// It reads no clock: `now` is a parameter.
public struct HealthReader: Sendable {
  let store: any Store & ArrivalHistory & UpdateAgeCounts
  package let budgets: [Budget]
  /// The error in the budget file, which prevents all verdicts; nil without an error.
  public let budgetError: String?
  /// Whether results include the tests that open and close incidents.
  var testsIncidents = false

  /// Creates a reader of one store. `budgets`: the budgets that apply: the team's and the defaults of all other
  /// metrics.
  public init(store: any Store & ArrivalHistory & UpdateAgeCounts, budgets: [Budget], budgetError: String? = nil) {
    self.store = store
    self.budgets = budgets
    self.budgetError = budgetError
  }

  /// A reader of the same store with other budgets.
  package func with(budgets: [Budget]) -> HealthReader {
    var other = HealthReader(store: store, budgets: budgets)
    other.testsIncidents = testsIncidents
    return other
  }

  /// The longest window, in days. It is limited because pages have a point for every day.
  static let longestWindow = 3660

  package func scope(of app: App, _ query: ReportQuery, now: Timestamp) throws -> Scope {
    if let filter = query.attribute { try check(filter, of: app) }
    var scope = Scope(app: app, inventory: try store.inventory(of: app.id), query: query, now: now)
    guard scope.window.days <= Self.longestWindow else {
      throw InvalidQuery(
        detail: "the window from \(scope.window.from.iso) to \(scope.window.to.iso) has \(scope.window.days) days; "
          + "the limit is \(Self.longestWindow)", parameter: "from", isReadable: true)
    }
    scope.arrived = try arrivedShares(scope)
    return scope
  }

  /// How much of the window's last days is known: as of the last receipt or the beginning of the hour, so that pages
  /// change only with data or once an hour.
  func arrivedShares(_ scope: Scope) throws -> ReportingCompleteness {
    let environment = scope.slice.environment
    if let known = scope.arrived, known.environment == environment { return known }
    let today = scope.now.day()
    guard scope.window.to >= today - ReportingCompleteness.complete else {
      return ReportingCompleteness(of: environment)
    }
    let hour = Timestamp(milliseconds: scope.now.milliseconds / 3_600_000 * 3_600_000)
    let learned = Window(from: today - ReportingCompleteness.learned, to: today + 1)
    return ReportingCompleteness(
      of: environment, try store.delays(of: scope.app, environment: environment, in: learned),
      now: max(hour, min(scope.now, scope.inventory.lastReceived ?? hour)))
  }

  /// Throws unless the filter uses one of the app's attributes.
  func check(_ filter: AttributeFilter, of app: App) throws(InvalidQuery) {
    let names = app.settings.attributes
    if names.contains(filter.name) { return }
    let own =
      switch names.count {
      case 0:
        "\(app.bundleID) has no attribute; set it with plumb app settings \(app.bundleID) --attribute \(filter.name)"
      case 1: "the attribute of \(app.bundleID) is \(names[0]), not \(filter.name)"
      default: "the attributes of \(app.bundleID) are \(names.joined(separator: ", ")), not \(filter.name)"
      }
    throw InvalidQuery(
      detail: "\(ReportQuery.attributeName): \(own)", parameter: ReportQuery.attributeName, isReadable: true)
  }

  /// The series of a slice; with `dimension`, one series per member.
  package func series(
    _ scope: Scope, metrics: [String]? = nil, dimension: Dimension? = nil, byLabel: Bool = false
  ) throws -> [Series] {
    let chosen = try set(scope, metrics: metrics, dimension: dimension, byLabel: byLabel).chosen
    if byLabel { return chosen }
    switch dimension {
    case nil: return try withPartitions(chosen, scope)
    case .release: return try withPartitionsOfReleases(chosen, scope)
    case .attribute: return try withPartitionsOfValues(chosen, scope)
    case .os, .device, .deviceClass, .combination: return chosen
    }
  }

  /// All series of a slice, including series of several sources that measure the same metric.
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
    set.note(try arrivedShares(scope))
    return set
  }

  /// Passes every row of a slice to `body`, one by one.
  func forEachRow(
    _ scope: Scope, metrics: [String], dimension: Dimension, _ body: (MetricRow) throws -> Void
  ) throws {
    try store.forEachRow(of: query(scope, metrics, dimension, false), body)
  }

  /// When the newest payload of an app arrived; nil if none has arrived.
  package func lastReceived(_ app: App) throws -> Timestamp? { try store.inventory(of: app.id).lastReceived }

  package func rows(_ scope: Scope, metrics: [String]? = nil, dimension: Dimension? = nil) throws -> [MetricRow] {
    try store.rows(query(scope, metrics, dimension, false))
  }

  func query(
    _ scope: Scope, _ metrics: [String]?, _ dimension: Dimension?, _ byLabel: Bool
  ) -> RowQuery {
    var query = RowQuery(
      app: scope.app, slice: scope.slice, window: scope.window, metrics: metrics, dimension: dimension,
      byLabel: byLabel, bins: .days)
    query.attribute = scope.attribute
    return query
  }
}
